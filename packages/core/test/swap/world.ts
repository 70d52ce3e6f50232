import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import type { Operation } from "@bursar/core/operation/Operation"
import type { ProviderResult } from "@bursar/core/port/ProviderResult"
import type { ConversionState } from "@bursar/core/port/Custodian"
import type { Rate } from "@bursar/core/money/Rate"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { createSwap } from "@bursar/core/swap/createSwap"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { dollar, keyed, submit } from "../withdrawal/world.ts"

/** What the tests sell, and what they buy: a dollar for a dollar, in coins of as many decimals. */
export const [sold, bought] = ["USDC_BASE", "USDT_ETH"] as const

/** Accepts a swap, at a quote's price or the market's. */
export const accept = Effect.fnUntraced(function* (id: TenantId, units: bigint, quoted: boolean) {
  const request = {
    amount: of(units, sold),
    toCurrency: bought,
    customerId: null,
    provider: { name: "fake", environment: "LIVE" } as const,
    rate: yield* dollar(),
    defaultFees: [],
    currencies: defaultCurrencies
  }
  const quote = quoted
    ? yield* submit(
        id,
        createQuote({
          ...request,
          provider: "fake",
          product: "SWAP",
          rail: null,
          country: null,
          pair: { minimum: null, step: null },
          networkFee: null,
          lifetimeMs: 60_000
        })
      )
    : null
  const swap = { ...request, partnerReference: null, pair: { minimum: null, step: null } }
  const made = yield* keyed(id, createSwap({ madeBy: "maker", ...swap, quoteId: quote?.id ?? null }), "POST /v1/swaps")
  return typeof made === "string" ? assert.fail(`the swap was refused: ${made}`) : made
})

/** The custodian of these swaps. */
export const fake = { name: "fake", environment: "LIVE" } as const

/** What the market says of a swap that is about to be sent: so many hundredths of what is bought for each that is sold. */
export const market = (hundredths = 100n) =>
  Effect.map(dollar(), (rate) => ({
    currencies: defaultCurrencies,
    rate: { ...rate, price: { units: hundredths, decimals: 2 } }
  }))

/** A swap whose order went out. */
export const sent = Effect.fnUntraced(function* (id: TenantId, units: bigint, quoted: boolean) {
  const operation = yield* accept(id, units, quoted)
  const task = yield* submit(id, beginCustody(operation, fake, { market: yield* market() }))
  return task._tag === "Send" ? task.operation : assert.fail(`the order was not to be sent: ${task._tag}`)
})

/** Records what the custodian says of a swap, as it is stored by then. */
export const says = Effect.fnUntraced(function* (
  id: TenantId,
  operation: Operation,
  answer: ProviderResult<ConversionState>,
  usd: ReadonlyMap<string, Rate> = new Map()
) {
  const read = (yield* (yield* Queries).operation(id, operation.id)) ?? operation
  return yield* submit(id, recordSwap({ operation: read, answer, usd, currencies: defaultCurrencies }))
})
