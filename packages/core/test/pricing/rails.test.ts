import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { isSameRail, railCharged } from "@bursar/core/pricing/railCharged"
import type { Operation } from "@bursar/core/operation/Operation"
import { createSwap } from "@bursar/core/swap/createSwap"
import { percentRule } from "@bursar/testkit/fixtures/fees"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { bought, sold } from "../swap/world.ts"
import { keyed, store, submit } from "../transfer/world.ts"
import { dollar, withdrawer } from "../withdrawal/world.ts"

describe("the fee of a quote", () => {
  it.effect("of a swap, which has no rail, is not that of a rail which the partner names", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* submit(id, addFeeRule(percentRule(1n)))
      // operators charge nothing for what goes by tron: chain payouts there
      yield* submit(id, addFeeRule(percentRule(0n, { rail: "tron", priority: 0 })))
      const rate = yield* dollar()
      const request = {
        amount: of(100_000_000n, sold),
        toCurrency: bought,
        customerId: null,
        rate,
        defaultFees: [],
        currencies: defaultCurrencies
      }
      const quoteBy = (rail: string | null) =>
        submit(
          id,
          createQuote({
            ...request,
            provider: "fake",
            product: "SWAP",
            rail,
            country: null,
            pair: { minimum: null, step: null },
            networkFee: null,
            lifetimeMs: 60_000
          })
        )
      const swapBy = (quoteId: string | null) =>
        keyed(
          id,
          createSwap({
            ...request,
            provider: { name: "fake", environment: "LIVE" },
            madeBy: "maker",
            partnerReference: null,
            pair: { minimum: null, step: null },
            quoteId
          }),
          "POST /v1/swaps"
        )
      const feeOf = (made: Operation | string) => (typeof made === "string" ? made : made.customerFee.units)
      const market = feeOf(yield* swapBy(null))
      const honest = feeOf(yield* swapBy((yield* quoteBy(null)).id))
      const clever = feeOf(yield* swapBy((yield* quoteBy("tron")).id))
      assert.deepStrictEqual([market, honest, clever], [1_000_000n, 1_000_000n, 1_000_000n])
    }).pipe(Effect.provide(store))
  )

  it("is that of a rail by whichever of its names, however they are written", () => {
    for (const [one, other, same] of [
      ["sepa", "SEPA", true],
      ["FASTER_PAYMENTS", "fps", true],
      ["Fedwire", "WIRE", true],
      ["SEPA", "SEPA_INSTANT", false],
      ["tron", "TRON", true],
      ["ACH", "WIRE", false]
    ] as const)
      assert.strictEqual(isSameRail(one, other), same, `${one} ${other}`)
  })

  it("is that of the rail that is taken, whatever is named", () => {
    const currency = (code: string) => defaultCurrencies.byCode(code) ?? assert.fail(code)
    for (const [product, named, from, to, rail] of [
      ["SWAP", "tron", "USDC_BASE", "EUR", null],
      ["CHAIN_PAYOUT", "SEPA", "USDC_BASE", "USDC_BASE", "base"],
      ["WITHDRAWAL", null, "BTC", "BTC", "bitcoin"],
      ["BANK_TRANSFER", null, "EUR", "EUR", "SEPA"],
      ["BANK_TRANSFER", "SWIFT", "EUR", "EUR", "SWIFT"],
      ["ON_RAMP", null, "EUR", "EUR", "SEPA"],
      ["OFF_RAMP", null, "USDC_BASE", "EUR", "SEPA"],
      ["OFF_RAMP", null, "USDC_BASE", "USDC_BASE", null]
    ] as const)
      assert.strictEqual(
        railCharged({ product, named, from: currency(from), to: currency(to) }),
        rail,
        `${product} ${named} ${to}`
      )
  })
})
