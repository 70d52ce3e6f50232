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
import { money } from "../../wire/money.ts"
import { amountIn } from "../../wire/amountIn.ts"
import { railOf } from "../transfers/railScheme.ts"
import { quoteToWire } from "./toWire.ts"

const isProduct = (text: string): text is Product => products.some((product) => product === text)

/** Products that convert nothing: what is received is the currency of the amount. */
const unconverted: ReadonlySet<Product> = new Set(["CHAIN_PAYOUT", "WITHDRAWAL", "BANK_TRANSFER", "ON_RAMP"])

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

/** POST /v1/quotes: prices an operation for a short window and reserves nothing. */
export const quote = Effect.gen(function* () {
  const { currencies, defaultFees = [] } = yield* ServerConfig
  const { conversionRate, custodian, rate } = yield* marketData
  const { fiat } = yield* providers
  const writer = yield* Writer
  return HttpApiBuilder.handler(PartnerApi, "conversions", "quote", ({ payload }) =>
    Effect.gen(function* () {
      const { tenantId: id, tenantKind: kind } = yield* Caller
      const tenantId = TenantId(id)
      const { country = null, customer_id = null, product, rail = null, to_currency } = payload
      if (!isProduct(product))
        return yield* apiError("unknown_kind", { message: `${JSON.stringify(product)} is not a product.` })
      const parsed = amountIn(currencies, payload.amount)
      if (Result.isFailure(parsed)) return yield* refusalError(parsed.failure)
      const amount = parsed.success
      const toCurrency = to_currency ?? amount.currency
      if (product === "SWAP" && toCurrency === amount.currency) return yield* apiError("pair_unavailable")
      if (unconverted.has(product) && toCurrency !== amount.currency) return yield* apiError("pair_unavailable")
      const isFiat = fiatProducts.has(product)
      if (isFiat && currencies.byCode(toCurrency)?.kind !== "FIAT")
        return yield* apiError(toCurrency === amount.currency ? "unsupported_asset" : "pair_unavailable", {
          message: `${toCurrency} cannot be paid to or received from bank accounts.`
        })
      if (isFiat && Option.isNone(fiat)) return yield* apiError("product_not_enabled")
      const provider: Option.Option<Reached> = isFiat ? fiat : custodian
      const network = currencies.byCode(amount.currency)?.asset?.network
      const onChain = network === undefined ? [] : [currencies.networks.of(network)]
      const foreign = refuseReach({ kind }, ...(product === "CHAIN_PAYOUT" ? onChain : Option.toArray(provider)))
      if (foreign !== undefined) return yield* refusalError(foreign)
      if (product === "SWAP" && Option.isSome(custodian)) {
        const pairs = yield* Effect.catchTag(custodian.value.pairs, "ProviderError", () =>
          Effect.fail(apiError("provider_unavailable"))
        )
        const pair = pairs.find((one) => one.from === amount.currency && one.to === toCurrency)
        if (pair === undefined) return yield* apiError("pair_unavailable")
        if (pair.minimum !== null && amount.units < pair.minimum.units)
          return yield* apiError("below_minimum", {
            detail: { minimum: money(currencies, pair.minimum.units, amount.currency) }
          })
      }
      const sent = currencies.byCode(amount.currency)
      const isWithdrawal = product === "WITHDRAWAL" && Option.isSome(custodian) && sent !== undefined
      const rateOf = product === "SWAP" ? conversionRate : rate
      const made = yield* submit(
        writer,
        tenantId,
        createQuote({
          product,
          amount,
          toCurrency,
          customerId: customer_id,
          rail: isFiat && rail !== null ? railOf(rail) : rail,
          country,
          provider: Option.isNone(provider) ? "none" : provider.value.name,
          rate: toCurrency === amount.currency ? null : yield* rateOf(amount.currency, toCurrency),
          networkFee: isWithdrawal ? yield* receiversFee(custodian.value, sent) : null,
          lifetimeMs: quoteLifetimeMs,
          defaultFees,
          currencies
        })
      )
      return quoteToWire(made, currencies)
    })
  )
})
