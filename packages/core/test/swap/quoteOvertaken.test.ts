import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { priceAgeMsMax } from "@bursar/core/money/freshPrice"
import type { Operation } from "@bursar/core/operation/Operation"
import { reviewOf } from "@bursar/core/operation/Review"
import { waitsOf } from "@bursar/core/operation/waits"
import { cancelOperation } from "@bursar/core/resolution/cancelOperation"
import { reviewOperation, type Verdict } from "@bursar/core/review/reviewOperation"
import { Queries } from "@bursar/core/store/Queries"
import { type Market, quoteKeptMs } from "@bursar/core/leaving/quoteOvertaken"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { balanceOf } from "../transfer/world.ts"
import { store, submit, wrong } from "../withdrawal/world.ts"
import { accept, bought, fake, market, says, sold } from "./world.ts"

const units = 100_000_000_000n

/** A tenant with what it sells at the bank, out of the custodian's reach, and the swap of all of it. */
const waiting = Effect.fnUntraced(function* (quoted = true) {
  const { id } = yield* newTenant()
  yield* submit(id, adjustFloat({ amount: of(units, sold), against: "bank", reason: "t" }))
  const swap = yield* accept(id, units, quoted)
  const stored = Effect.gen(function* () {
    return (yield* (yield* Queries).operation(id, swap.id)) ?? assert.fail("the swap is gone")
  })
  return {
    id,
    stored,
    /** The coins come to the custodian. */
    covered: submit(id, adjustFloat({ amount: of(units, sold), against: "custodian", reason: "t" })),
    /** What is done with the swap at such a market. */
    begin: (seen?: Market) =>
      Effect.gen(function* () {
        const task = yield* submit(id, beginCustody(yield* stored, fake, { market: seen }))
        return task._tag === "Wait" ? task.objection.reason : task._tag
      }),
    say: (verdict: Verdict) =>
      Effect.gen(function* () {
        const command = { operation: yield* stored, verdict, by: "olga", reason: null }
        return yield* submit(id, reviewOperation({ ...command, currencies: defaultCurrencies }))
      })
  }
})

const reviewState = (operation: Operation) => [operation.status, reviewOf(operation)?.state, waitsOf(operation)?.reason]

describe("a swap with a quote", () => {
  it.effect("is not sent once its quote is long over: the service would pay whatever the market lacks", () =>
    Effect.gen(function* () {
      const { begin, covered, stored } = yield* waiting()
      assert.strictEqual(yield* begin(yield* market()), "insufficient_wallet")
      yield* TestClock.adjust(quoteKeptMs)
      yield* covered
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* begin(yield* market()), "quote_overtaken")
      const held = yield* stored
      assert.deepStrictEqual(reviewState(held), ["IN_REVIEW", "PENDING", "quote_overtaken"])
      assert.include(reviewOf(held)?.reason, `promises ${units} units of USDT_ETH, and it would bring ${units} units`)
    }).pipe(Effect.provide(store))
  )

  it.effect("is sent for as long as its quote is kept, at a rate that brings almost its floor", () =>
    Effect.gen(function* () {
      const { begin, covered } = yield* waiting()
      yield* covered
      yield* TestClock.adjust(quoteKeptMs)
      assert.strictEqual(yield* begin(yield* market(99n)), "Send")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not sent where the rate now brings less than the floor by more than a little", () =>
    Effect.gen(function* () {
      const { begin, covered, stored } = yield* waiting()
      yield* covered
      assert.strictEqual(yield* begin(yield* market(98n)), "quote_overtaken")
      assert.deepStrictEqual(reviewState(yield* stored), ["IN_REVIEW", "PENDING", "quote_overtaken"])
    }).pipe(Effect.provide(store))
  )

  it.effect("waits while nobody knows the rate, or it is not of now", () =>
    Effect.gen(function* () {
      const { begin, covered, stored } = yield* waiting()
      yield* covered
      const old = yield* market()
      yield* TestClock.adjust(priceAgeMsMax + 1)
      assert.strictEqual(yield* begin(old), "price_unavailable")
      assert.strictEqual(yield* begin(), "price_unavailable")
      assert.strictEqual((yield* stored).status, "ACCEPTED")
      assert.strictEqual(yield* begin(yield* market()), "Send")
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is sent once people have approved it, however long that takes, at half of the rate that they were told or more",
    () =>
      Effect.gen(function* () {
        const { begin, covered, say } = yield* waiting()
        yield* covered
        assert.strictEqual(yield* begin(yield* market(50n)), "quote_overtaken")
        assert.strictEqual((yield* say("APPROVE")).status, "ACCEPTED")
        yield* TestClock.adjust("30 days")
        assert.strictEqual(yield* begin(yield* market(25n)), "Send")
      }).pipe(Effect.provide(store))
  )

  it.effect("is not sent where it would bring less than half of what was approved: people are asked each time", () =>
    Effect.gen(function* () {
      const { begin, covered, say, stored } = yield* waiting()
      yield* covered
      assert.strictEqual(yield* begin(yield* market(40n)), "quote_overtaken")
      for (const [now, told] of [
        [15n, 40n],
        [7n, 15n]
      ] as const) {
        yield* say("APPROVE")
        assert.strictEqual(yield* begin(yield* market(now)), "quote_overtaken")
        const held = yield* stored
        assert.deepStrictEqual(reviewState(held), ["IN_REVIEW", "PENDING", "quote_overtaken"])
        assert.include(reviewOf(held)?.reason, `to bring ${(units * told) / 100n} units`)
        assert.include(reviewOf(held)?.reason, `would bring ${(units * now) / 100n} units now`)
      }
      yield* say("APPROVE")
      assert.strictEqual(yield* begin(yield* market(7n)), "Send")
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "waits where it was approved at one rate and no fresh one is known: that approval answers for no other",
    () =>
      Effect.gen(function* () {
        const { begin, covered, say, stored } = yield* waiting()
        yield* covered
        assert.strictEqual(yield* begin(yield* market(40n)), "quote_overtaken")
        yield* say("APPROVE")
        const old = yield* market(1n)
        yield* TestClock.adjust(priceAgeMsMax + 1)
        for (const seen of [old, undefined]) assert.strictEqual(yield* begin(seen), "price_unavailable")
        yield* TestClock.adjust("30 days")
        assert.strictEqual(yield* begin(), "price_unavailable")
        assert.deepStrictEqual(reviewState(yield* stored), ["ACCEPTED", "APPROVED", "price_unavailable"])
        assert.strictEqual(yield* begin(yield* market(40n)), "Send", "the approval stands")
      }).pipe(Effect.provide(store))
  )

  it.effect("is cancelled while it waits for a rate that may never come, and gives all back", () =>
    Effect.gen(function* () {
      const { begin, covered, id, say, stored } = yield* waiting()
      yield* covered
      const before = yield* balanceOf(id, "float:available", sold)
      yield* begin(yield* market(40n))
      yield* say("APPROVE")
      assert.strictEqual(yield* begin(), "price_unavailable")
      const cancel = cancelOperation({ operation: yield* stored, by: "olga", currencies: defaultCurrencies })
      assert.strictEqual((yield* submit(id, cancel)).status, "FAILED")
      assert.strictEqual(yield* balanceOf(id, "float:available", sold), before + units)
      assert.strictEqual(yield* begin(yield* market()), "Nothing")
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is not sent on an approval of an unknown rate where it would bring less than half of its floor", () =>
    Effect.gen(function* () {
      const { begin, covered, say } = yield* waiting()
      yield* covered
      yield* TestClock.adjust(quoteKeptMs + 1)
      assert.strictEqual(yield* begin(), "quote_overtaken")
      yield* say("APPROVE")
      assert.strictEqual(yield* begin(), "price_unavailable")
      assert.strictEqual(yield* begin(yield* market(49n)), "quote_overtaken")
      yield* say("APPROVE")
      assert.strictEqual(yield* begin(yield* market(49n)), "Send")
    }).pipe(Effect.provide(store))
  )

  it.effect("is never sent for nothing, and what it brings is held against its quote then", () =>
    Effect.gen(function* () {
      const { begin, covered, id, say, stored } = yield* waiting()
      yield* covered
      const { currencies, rate } = yield* market()
      const nothing: Market = { currencies, rate: { ...rate, price: { units: 1n, decimals: 20 } } }
      assert.strictEqual(yield* begin(nothing), "quote_overtaken")
      yield* say("APPROVE")
      assert.strictEqual(yield* begin(nothing), "quote_overtaken")
      yield* say("APPROVE")
      assert.strictEqual(yield* begin(), "price_unavailable")
      assert.strictEqual(yield* begin(yield* market(50n)), "Send")
      const received = of(1n, bought)
      yield* says(id, yield* stored, { _tag: "Done", value: { _tag: "Settled", providerReference: "c1", received } })
      assert.strictEqual((yield* stored).status, "PROCESSING")
    }).pipe(Effect.provide(store))
  )

  for (const [told, then, percent, ends] of [
    [40n, 40n, 40n, "SETTLED"],
    [40n, 40n, 19n, "PROCESSING"],
    [40n, 20n, 20n, "SETTLED"],
    [40n, 20n, 15n, "PROCESSING"],
    [40n, 40n, 100n, "SETTLED"],
    [40n, 40n, 201n, "PROCESSING"]
  ] as const)
    it.effect(
      `is ${ends} at ${percent} % of it where people were told of ${told} %, and it was sent at ${then} %`,
      () =>
        Effect.gen(function* () {
          const { begin, covered, id, say, stored } = yield* waiting()
          yield* covered
          assert.strictEqual(yield* begin(yield* market(told)), "quote_overtaken")
          yield* say("APPROVE")
          assert.strictEqual(yield* begin(yield* market(then)), "Send")
          const received = of((units * percent) / 100n, bought)
          yield* says(id, yield* stored, {
            _tag: "Done",
            value: { _tag: "Settled", providerReference: "c1", received }
          })
          assert.strictEqual((yield* stored).status, ends)
          assert.strictEqual((yield* stored).unresolved, ends === "PROCESSING")
          assert.deepStrictEqual(yield* wrong(id), [])
        }).pipe(Effect.provide(store))
    )

  it.effect("gives all back where people reject it", () =>
    Effect.gen(function* () {
      const { begin, covered, id, say } = yield* waiting()
      yield* covered
      const before = yield* balanceOf(id, "float:available", sold)
      yield* begin(yield* market(50n))
      assert.strictEqual((yield* say("REJECT")).status, "FAILED")
      assert.strictEqual(yield* balanceOf(id, "float:available", sold), before + units)
      assert.strictEqual(yield* begin(yield* market()), "Nothing")
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})

describe("a swap without a quote", () => {
  it.effect("is sent at any market: it promises nothing", () =>
    Effect.gen(function* () {
      const { begin, covered } = yield* waiting(false)
      yield* TestClock.adjust("30 days")
      yield* covered
      assert.strictEqual(yield* begin(), "Send")
    }).pipe(Effect.provide(store))
  )
})
