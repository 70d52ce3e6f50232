import { apiError } from "@bursar/api/errors/ApiError"
import { Caller } from "@bursar/api/middleware/Caller"
import { PartnerApi } from "@bursar/api/PartnerApi"
import { Writer } from "@bursar/core/engine/Writer"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { type Product, products } from "@bursar/core/pricing/Product"
import { type Reached, refuseReach } from "@bursar/core/environment/reach"
import type { Currency } from "@bursar/core/money/Currency"
import type { Custodian } from "@bursar/core/port/Custodian"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { borneByReceiver } from "@bursar/core/withdrawal/borneByReceiver"
import { Effect, Option, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { quoteLifetimeMs, ServerConfig } from "../../config/ServerConfig.ts"
import { marketData } from "../../marketData.ts"
import { providers } from "../../providers.ts"
import { refusalError, submit } from "../../refusals.ts"
import { amountIn } from "../../wire/amountIn.ts"
import { bankRefusal, countryProblems, railProblems } from "../transfers/bankProblems.ts"
import { railOf } from "../transfers/railScheme.ts"
import { quoteToWire } from "./toWire.ts"

const isProduct = (text: string): text is Product => products.some((product) => product === text)

/** Products that the fiat provider carries out, and that bring money to a bank or from one. */
const fiatProducts: ReadonlySet<Product> = new Set(["ON_RAMP", "OFF_RAMP", "BANK_TRANSFER"])

/** What the receiver of a withdrawal gets less than was sent; refuses where the custodian does not say. */
const receiversFee = Effect.fnUntraced(function* (
  { networkFeeBorneBy, withdrawalFee }: Custodian["Service"],
  { asset, code }: Currency
) {
  if (asset === null) return null
  const borne = borneByReceiver(code, { networkFee: yield* withdrawalFee(code, asset.network), networkFeeBorneBy })
  return Result.isFailure(borne) ? yield* refusalError(borne.failure) : borne.success
})

/** What the custodian says of a pair; null where it does not convert it. */
const pairTerms = ({ pairs }: Custodian["Service"], from: string, to: string) =>
  pairs.pipe(
    Effect.map((all) => all.find((one) => one.from === from && one.to === to) ?? null),
    Effect.catchTag("ProviderError", () => Effect.fail(apiError("provider_unavailable")))
  )

/** POST /v1/quotes: prices an operation for a short window and reserves nothing. */
export const quote = Effect.gen(function* () {
  const { currencies, defaultFees = [] } = yield* ServerConfig
  const { conversionRate, custodian, rate } = yield* marketData
  const { fiat } = yield* providers
  const writer = yield* Writer
  return HttpApiBuilder.handler(PartnerApi, "conversions", "quote", ({ payload }) =>
    Effect.gen(function* () {
      const { scopes, tenantId: id, tenantKind: kind } = yield* Caller
      const tenantId = TenantId(id)
      const { country = null, customer_id = null, product, rail = null, to_currency } = payload
      if (!isProduct(product))
        return yield* apiError("unknown_kind", { message: `${JSON.stringify(product)} is not a product.` })
      const parsed = amountIn(currencies, payload.amount)
      if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
      const amount = parsed.success
      const toCurrency = to_currency ?? amount.currency
      const [from, to] = [currencies.byCode(amount.currency), currencies.byCode(toCurrency)]
      const isFiat = fiatProducts.has(product)
      const provider: Option.Option<Reached> = isFiat ? fiat : custodian
      if (product !== "CHAIN_PAYOUT" && Option.isNone(provider)) return yield* apiError("product_not_enabled")
      const foreign = refuseReach({ kind }, ...(product === "CHAIN_PAYOUT" ? [] : Option.toArray(provider)))
      if (foreign !== undefined) return yield* refusalError(foreign)
      if (isFiat && to?.kind === "FIAT") {
        const problems = [...railProblems(rail, toCurrency), ...countryProblems({ country })]
        if (problems.length > 0) return yield* refusalError(bankRefusal(problems))
      }
      const asked = Option.getOrUndefined(custodian)
      const rateOf = product === "SWAP" ? conversionRate : rate
      const made = yield* submit(
        writer,
        tenantId,
        createQuote({
          product,
          amount,
          toCurrency,
          pair: product === "SWAP" && asked !== undefined ? yield* pairTerms(asked, amount.currency, toCurrency) : null,
          customerId: customer_id,
          checkHidden: !scopes.has("customers:read"),
          rail: isFiat && rail !== null ? railOf(rail) : rail,
          country,
          provider: Option.isNone(provider) ? "none" : provider.value.name,
          rate: toCurrency === amount.currency ? null : yield* rateOf(amount.currency, toCurrency),
          networkFee:
            product === "WITHDRAWAL" && asked !== undefined && from !== undefined
              ? yield* receiversFee(asked, from)
              : null,
          lifetimeMs: quoteLifetimeMs,
          defaultFees,
          currencies
        })
      )
      return quoteToWire(made, currencies)
    })
  )
})
