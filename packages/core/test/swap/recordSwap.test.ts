import { of } from "@bursar/core/money/Amount"
import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { approveResolution, proposeResolution } from "@bursar/core/resolution/resolutionCommands"
import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { ConversionState } from "@bursar/core/port/Custodian"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { dollar, store, submit, withdrawer, wrong } from "../withdrawal/world.ts"
import { bought, says, sent, sold } from "./world.ts"

const units = 10_000n

type Settled = Extract<ConversionState, { readonly _tag: "Settled" }>

const settled = (received: bigint, more: Partial<Settled> = {}) =>
  done<ConversionState>({ _tag: "Settled", providerReference: "c-1", received: of(received, bought), ...more })

const stored = Effect.fnUntraced(function* (id: TenantId, operation: Operation) {
  return (yield* (yield* Queries).operation(id, operation.id)) ?? assert.fail("the swap is gone")
})

const free = Effect.fnUntraced(function* (id: TenantId, currency: string) {
  const balances = yield* (yield* Queries).float(id)
  return balances.find((one) => one.account === "float:available" && one.currency === currency)?.units ?? 0n
})

/** Reports that nobody may be credited for, quote or none. */
const implausible = [
  ["nothing was received", settled(0n)],
  ["less than nothing was received", settled(-1n)],
  ["another currency was received", settled(units, { received: of(units, "BTC") })],
  ["more was sold than ordered", settled(units, { sold: of(units + 1n, sold) })],
  ["only a part of what was ordered was sold", settled(units, { sold: of(units - units / 50n - 1n, sold) })],
  [
    "almost all of what was ordered was sold, and no price tells how much is left",
    settled(units, { sold: of(units - 1n, sold) })
  ],
  ["another currency was sold", settled(units, { sold: of(units, "BTC") })],
  ["a fee was less than nothing", settled(units, { feesBeside: [of(-5n, sold)] })],
  ["a fee was in a currency that nobody knows", settled(units, { feesBeside: [of(5n, "NOPE")] })],
  ["a fee was in a currency whose price nobody knows", settled(units, { feesBeside: [of(5n, "ETH")] })],
  ["a fee was worth more than any", settled(units, { feesBeside: [of(500_000_001n + 10_000n, sold)] })],
  [
    "fees were taken of which each is a tenth of the order, and all are half of it",
    settled(units, { feesBeside: Array.from({ length: 5 }, () => of(units / 10n, sold)) })
  ],
  [
    "a fee of a tenth was taken, and another in a currency whose price nobody knows",
    settled(units, { feesBeside: [of(units / 10n, sold), of(5n, "ETH")] })
  ],
  ["more than twice as much was received as was to come", settled(2n * units + 1n)],
  ["a number was received whose decimals were misread", settled(units * 10n ** 6n)],
  ["less than half of what was to come was received", settled(units / 2n - 1n)],
  ["a number was received whose decimals were misread the other way", settled(units / 1_000n)]
] as const

describe("a swap of which the custodian reports", () => {
  it.effect("an outcome that cannot be booked, and then less, stays unresolved and gives nothing back", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      const before = yield* free(id, sold)
      yield* says(id, operation, settled(0n))
      yield* says(id, operation, done({ _tag: "Pending", providerReference: "c-1" }))
      yield* says(id, operation, done({ _tag: "Failed", providerReference: "c-1", reason: "it was cancelled" }))
      const after = yield* stored(id, operation)
      assert.deepStrictEqual([after.status === "FAILED", after.unresolved], [false, true])
      assert.strictEqual(yield* free(id, sold), before)
      yield* says(id, operation, settled(units))
      const now = yield* stored(id, operation)
      assert.deepStrictEqual([now.status, now.unresolved, now.details.disputed], ["SETTLED", false, false])
    }).pipe(Effect.provide(store))
  )

  for (const quoted of [true, false]) {
    const how = quoted ? "at a quote's price" : "at the market's"
    for (const [what, answer] of implausible) {
      it.effect(`that ${what} is unresolved, ${how}, and credits nothing`, () =>
        Effect.gen(function* () {
          const id = yield* withdrawer()
          const operation = yield* sent(id, units, quoted)
          const before = yield* free(id, sold)
          yield* says(id, operation, answer)
          const after = yield* stored(id, operation)
          assert.deepStrictEqual([after.status, after.unresolved, after.toAmount], ["PROCESSING", true, null])
          assert.strictEqual(typeof after.details.unresolved_because, "string")
          assert.deepStrictEqual([yield* free(id, bought), yield* free(id, sold)], [0n, before])
          // the truth is told later
          yield* says(id, operation, settled(units, { sold: of(units, sold), feesBeside: [] }))
          const now = yield* stored(id, operation)
          assert.deepStrictEqual([now.status, now.unresolved, now.toAmount?.units], ["SETTLED", false, units])
          assert.deepStrictEqual(yield* wrong(id), [])
        }).pipe(Effect.provide(store))
      )
    }
  }

  it.effect("more than was to be believed is credited once two operators say that it was received", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      yield* says(id, operation, settled(units * 3n))
      const open = yield* stored(id, operation)
      const statement = {
        outcome: "SETTLED",
        basis: "PROVIDER",
        reference: "4711",
        source: "support",
        text: "The market had moved.",
        providerReference: null,
        txHash: null,
        received: of(units * 3n, bought),
        networkFee: null
      } as const
      const currencies = defaultCurrencies
      const resolution = yield* submit(id, proposeResolution({ operation: open, statement, by: "ann", currencies }))
      assert.strictEqual(yield* free(id, bought), 0n)
      yield* submit(id, approveResolution({ operation: open, resolution, by: "bob", currencies, proof: null }))
      const after = yield* stored(id, operation)
      assert.deepStrictEqual([after.status, after.unresolved, yield* free(id, bought)], ["SETTLED", false, units * 3n])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is found by the checker where somebody wrote that more was promised", () =>
    Effect.gen(function* () {
      const floor = String(units * 1_000_000n)
      for (const written of [
        ({ details }: Operation) => ({ details: { ...details, floor } }),
        () => ({ toAmountQuoted: of(units + 1_000n, bought) })
      ]) {
        const id = yield* withdrawer()
        const operation = yield* sent(id, units, true)
        const promised = { ...operation, ...written(operation) } as Operation // as a thief writes it
        yield* submit(
          id,
          writing(() => [putRecord(Operation, promised)])
        )
        yield* says(id, yield* stored(id, operation), settled(units))
        assert.isAtMost(Number(yield* free(id, bought)), Number(units))
        assert.include((yield* wrong(id)).join(), "was not made at the price of quote")
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("fees beside what was received has the service bear them, and the custodian's holdings fall by them", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, true)
      const feesBeside = [of(7n, sold), of(3n, "BTC")]
      const rate = yield* dollar()
      const usd = new Map([sold, "BTC"].map((currency) => [currency, rate] as const))
      yield* says(id, operation, settled(units, { sold: of(units, sold), feesBeside }), usd)
      assert.strictEqual(yield* free(id, bought), units)
      const lines = yield* (yield* Queries).accountLines(id, { account: "custodian", currency: sold, limit: 1 })
      assert.strictEqual(lines[0]?.leg.balance, 1_000_000_000_000n - units - 7n)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  // of 10,000 dollars; a tenth, which is 1,000, is in the currency of the order
  for (const [what, fees, isBooked] of [
    ["600 dollars of the order's currency in two fees", [of(300_000_000n, sold), of(300_000_000n, sold)], true],
    ["1,001 dollars of the order's currency in two fees", [of(1_000_000_000n, sold), of(1_000_000n, sold)], false],
    ["1,000 dollars in two currencies", [of(500_000_000n, sold), of(50_000_000_000n, "BTC")], true],
    ["1,200 dollars in two currencies", [of(600_000_000n, sold), of(60_000_000_000n, "BTC")], false],
    [
      "1,200 dollars in two currencies other than the order's",
      [of(60_000_000_000n, "BTC"), of(600_000_000n, bought)],
      false
    ]
  ] as const)
    it.effect(`fees of ${what} is ${isBooked ? "booked" : "unresolved"}: all together may be a tenth`, () =>
      Effect.gen(function* () {
        const id = yield* withdrawer()
        const all = 10_000_000_000n
        const operation = yield* sent(id, all, false)
        const rate = yield* dollar()
        const usd = new Map([sold, bought, "BTC"].map((currency) => [currency, rate] as const))
        yield* says(id, operation, settled(all, { feesBeside: fees }), usd)
        assert.strictEqual((yield* stored(id, operation)).unresolved, !isBooked)
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
    )

  for (const [left, isBooked] of [
    [5_000_000n, true],
    [5_000_001n, false]
  ] as const)
    it.effect(
      `that ${left} units were left unsold is ${isBooked ? "booked" : "unresolved"}: more than five dollars`,
      () =>
        Effect.gen(function* () {
          const id = yield* withdrawer()
          const all = 1_000_000_000n
          const operation = yield* sent(id, all, false)
          yield* says(id, operation, settled(all, { sold: of(all - left, sold) }), new Map([[sold, yield* dollar()]]))
          assert.strictEqual((yield* stored(id, operation)).unresolved, !isBooked)
        }).pipe(Effect.provide(store))
    )

  it.effect("that it never had what it had is unresolved: a denial is no proof", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      yield* says(id, operation, done({ _tag: "Pending", providerReference: "c-1" }))
      yield* says(id, operation, refused("there is no such order"))
      const after = yield* stored(id, operation)
      assert.deepStrictEqual([after.status, after.unresolved], ["SENT", true])
      assert.strictEqual(yield* free(id, sold), 1_000_000_000_000n - units)
    }).pipe(Effect.provide(store))
  )

  it.effect("that it never had what it never showed to have fails, and the money is free again", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      yield* says(id, operation, unknown("no answer within 30 s"))
      yield* says(id, operation, refused("an exhaustive search found nothing, and no order can be in flight"))
      assert.strictEqual((yield* stored(id, operation)).status, "FAILED")
      assert.strictEqual(yield* free(id, sold), 1_000_000_000_000n)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})

const answer = fc.oneof(
  fc.constant(unknown("503")),
  fc.constant(refused("never had it")),
  fc.constant(done<ConversionState>({ _tag: "Pending", providerReference: "c-1" })),
  fc.constant(done<ConversionState>({ _tag: "Failed", providerReference: "c-1", reason: "rejected" })),
  fc
    .record({
      received: fc.bigInt(-1n, 2n * units),
      sold: fc.option(fc.bigInt(0n, 2n * units), { nil: undefined }),
      fee: fc.option(fc.bigInt(-1n, 100n), { nil: undefined })
    })
    .map(({ fee, received, sold: told }) =>
      settled(received, {
        ...(told === undefined ? {} : { sold: of(told, sold) }),
        ...(fee === undefined ? {} : { feesBeside: [of(fee, sold)] })
      })
    )
)

describe("whatever a custodian says of a swap, in whatever order", () => {
  it("nothing is credited that was not reported as received, a floor is kept where something was, and the books hold", async () => {
    const stories = fc.record({ quoted: fc.boolean(), answers: fc.array(answer, { minLength: 1, maxLength: 5 }) })
    await fc.assert(
      fc.asyncProperty(stories, ({ answers, quoted }) =>
        Effect.runPromise(
          Effect.gen(function* () {
            const id = yield* withdrawer()
            const operation = yield* sent(id, units, quoted)
            for (const each of answers) yield* says(id, operation, each)
            const after = yield* stored(id, operation)
            const credited = yield* free(id, bought)
            const reported = answers.flatMap((each) =>
              each._tag === "Done" && each.value._tag === "Settled" ? [each.value.received.units] : []
            )
            if (after.status === "SETTLED") {
              assert.isTrue(reported.some((came) => came > 0n))
              assert.isTrue(quoted ? credited === units : reported.includes(credited))
            } else assert.strictEqual(credited, 0n)
            const gone = 1_000_000_000_000n - (yield* free(id, sold))
            assert.strictEqual(gone, after.status === "FAILED" ? 0n : units)
            assert.deepStrictEqual(yield* wrong(id), [])
          }).pipe(Effect.provide(store))
        )
      ),
      { numRuns: 60 }
    )
  })
})
