import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { addFeeRule, retireFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { FeeRule } from "@bursar/core/pricing/FeeRule"
import { Queries } from "@bursar/core/store/Queries"
import { percentRule } from "@bursar/testkit/fixtures/fees"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { float, hear, payer, says, send, sender, store, submit, wrong } from "./world.ts"

/** A quote of 100 EUR that are to come, by the rules of now. */
const quoteOf = (id: Parameters<typeof submit>[0], defaultFees: ReadonlyArray<FeeRule> = []) =>
  submit(
    id,
    createQuote({
      product: "ON_RAMP",
      amount: of(10_000n, "EUR"),
      toCurrency: "EUR",
      customerId: null,
      rail: null,
      country: null,
      provider: "fake",
      rate: null,
      networkFee: null,
      lifetimeMs: 60_000,
      defaultFees,
      currencies: defaultCurrencies
    })
  )

describe("the fee of what arrives by a quote", () => {
  it.effect("is that of the rule that was quoted, also for a cent more, where the rules have changed since", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const quote = yield* quoteOf(id)
      assert.strictEqual(quote.customerFee.units, 100n)
      // fees rise between the quote and its use
      const rules = yield* (yield* Queries).records(id, FeeRule)
      for (const rule of rules) yield* submit(id, retireFeeRule(rule.id))
      yield* submit(id, addFeeRule(percentRule(50n)))
      const [before] = yield* float(id)
      const sent = yield* send(id, { kind: "ON_RAMP", payee: null, quoteId: quote.id })
      assert.strictEqual(sent.customerFee.units, 100n)
      assert.strictEqual(sent.details.fee_rule, quote.ruleId)
      const got = yield* hear(id, sent, says("SETTLED", { received: of(10_001n, "EUR"), sender }))
      const [after] = yield* float(id)
      assert.deepStrictEqual(yield* wrong(id), [])
      // one percent of 100.01, rounded up
      assert.strictEqual(got.customerFee.units, 101n)
      assert.strictEqual(after - before, 9_900n)
    }).pipe(Effect.provide(store))
  )

  it.effect("is that of the rule that was quoted, also for less, where the rules have become cheaper since", () =>
    Effect.gen(function* () {
      const id = yield* payer()
      const quote = yield* quoteOf(id)
      const rules = yield* (yield* Queries).records(id, FeeRule)
      for (const rule of rules) yield* submit(id, retireFeeRule(rule.id))
      const sent = yield* send(id, { kind: "ON_RAMP", payee: null, quoteId: quote.id })
      const got = yield* hear(id, sent, says("SETTLED", { received: of(9_999n, "EUR"), sender }))
      assert.strictEqual(got.customerFee.units, 100n)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is not known for more where the rule that was quoted was the service's own and is configured no more",
    () =>
      Effect.gen(function* () {
        const id = yield* payer()
        for (const rule of yield* (yield* Queries).records(id, FeeRule)) yield* submit(id, retireFeeRule(rule.id))
        const quote = yield* quoteOf(id, [
          { ...percentRule(1n), id: "own", effectiveFrom: 0, createdAt: 0, retiredAt: null }
        ])
        assert.strictEqual(quote.customerFee.units, 100n)
        const sent = yield* send(id, { kind: "ON_RAMP", payee: null, quoteId: quote.id })
        const got = yield* hear(id, sent, says("SETTLED", { received: of(10_001n, "EUR"), sender }))
        assert.isTrue(got.unresolved)
        assert.strictEqual(got.details.reason, "100.01 EUR arrived, of which the fee is not known")
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
  )
})
