import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { refused } from "@bursar/core/port/ProviderResult"
import { newReceiverScope, payoutScope } from "@bursar/core/limit/limitedUsage"
import { newReceiverMs } from "@bursar/core/limit/newReceiver"
import type { Operation } from "@bursar/core/operation/Operation"
import { reviewOf } from "@bursar/core/operation/Review"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { stateOf } from "../payout/world.ts"
import { hear, says, store, submit, wrong } from "../transfer/world.ts"
import { accountOf, bank, chain, decide, dollar, found, kept, payer } from "./world.ts"

const outcome = (made: Operation | string): string => (typeof made === "string" ? made : made.status)

const idOf = (made: Operation | string): string => (typeof made === "string" ? assert.fail(made) : made.id)

const loose = { payoutNewAddressLimitUsd: null, payoutReviewUsd: null }

describe("limits on what is paid out", () => {
  it.effect("hold for a bank transfer, an off-ramp and a refund as for a chain payout", () =>
    Effect.gen(function* () {
      const id = yield* payer({ payoutLimitUsd: "1000", ...loose })
      for (const kind of ["BANK_TRANSFER", "OFF_RAMP"] as const)
        assert.strictEqual(outcome(yield* bank(id, 1_000_01n, { kind })), "payout_limit_exceeded")
      assert.strictEqual(outcome(yield* chain(id, 1_000_01n)), "payout_limit_exceeded")
      const stolen = { kind: "OFF_RAMP", amount: of(60_000_000_000n, "USDC_BASE") } as const
      assert.strictEqual(outcome(yield* bank(id, 0n, stolen)), "payout_limit_exceeded")
      assert.strictEqual(outcome(yield* bank(id, 1_000_00n)), "ACCEPTED")
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("of a day are one for both products: what one has used the other has not", () =>
    Effect.gen(function* () {
      const id = yield* payer({ payoutDailyLimitUsd: "1000", ...loose })
      assert.strictEqual(outcome(yield* chain(id, 600_00n)), "ACCEPTED")
      assert.strictEqual(outcome(yield* bank(id, 400_01n)), "daily_limit_exceeded")
      assert.strictEqual(outcome(yield* bank(id, 400_00n)), "ACCEPTED")
      assert.strictEqual(outcome(yield* chain(id, 1_00n)), "daily_limit_exceeded")
      assert.strictEqual(yield* kept(id, payoutScope), 1_000_00n)
      yield* TestClock.adjust("25 hours")
      assert.strictEqual(outcome(yield* bank(id, 1_000_00n)), "ACCEPTED")
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("to new receivers hold until a payment to the account has settled a day ago, however it is written", () =>
    Effect.gen(function* () {
      const id = yield* payer({ payoutNewAddressLimitUsd: "100", payoutReviewUsd: null })
      const british = { ...accountOf(1), iban: "GB82 WEST 1234 5698 7654 32" }
      const parts = { ...british, iban: null, sortCode: "12-34-56", accountNumber: "98765432" }
      const first = yield* bank(id, 100_00n, { payee: british })
      if (typeof first === "string") return assert.fail(first)
      assert.strictEqual(outcome(yield* bank(id, 1_00n, { payee: parts })), "new_address_limit_exceeded")
      yield* hear(id, first, says("SETTLED"))
      yield* TestClock.adjust(newReceiverMs - 1)
      assert.strictEqual(outcome(yield* bank(id, 100_01n, { payee: parts })), "new_address_limit_exceeded")
      yield* TestClock.adjust(1)
      assert.strictEqual(outcome(yield* bank(id, 100_01n, { payee: parts })), "ACCEPTED")
      assert.strictEqual(outcome(yield* bank(id, 100_01n, { payee: accountOf(2) })), "new_address_limit_exceeded")
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("need a fresh price, and a dollar is a dollar", () =>
    Effect.gen(function* () {
      const id = yield* payer(loose)
      assert.strictEqual(outcome(yield* bank(id, 100_00n, { usd: null })), "price_unavailable")
      const old = { ...(yield* dollar), observedAt: -1_000_000 }
      assert.strictEqual(outcome(yield* bank(id, 100_00n, { usd: old })), "price_unavailable")
      const dollars = { amount: of(100_00n, "USD"), toCurrency: "USD", usd: null }
      assert.strictEqual(outcome(yield* bank(id, 0n, dollars)), "insufficient_balance")
    }).pipe(Effect.provide(store))
  )

  it.effect("give back what failed, and not what was returned after it had left", () =>
    Effect.gen(function* () {
      const id = yield* payer({ payoutReviewUsd: null })
      const made = yield* Effect.all([bank(id, 100_00n), bank(id, 200_00n), bank(id, 300_00n)])
      const [fails, returns] = made
      if (typeof fails !== "object" || typeof returns !== "object") return assert.fail("they were refused")
      yield* hear(id, fails, says("FAILED"))
      yield* hear(id, fails, says("FAILED"))
      yield* hear(id, returns, says("SETTLED"))
      yield* hear(id, returns, says("RETURNED"))
      assert.strictEqual(yield* kept(id, payoutScope), 500_00n)
      assert.strictEqual(yield* kept(id, newReceiverScope), 500_00n)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("let nothing pass that is less than the minimum, and no amount count for nothing", () =>
    Effect.gen(function* () {
      const id = yield* payer(loose)
      assert.strictEqual(outcome(yield* chain(id, 99n)), "below_minimum")
      assert.strictEqual(outcome(yield* bank(id, 99n)), "below_minimum")
      assert.strictEqual(
        outcome(yield* bank(id, 0n, { kind: "OFF_RAMP", amount: of(1n, "USDC_BASE") })),
        "below_minimum"
      )
      const own = yield* payer({ ...loose, payoutMinimums: { USDC_BASE: "0", EUR: "250.005" } })
      const dust = { kind: "OFF_RAMP", amount: of(1n, "USDC_BASE") } as const
      for (let n = 1n; n <= 3n; n++) {
        assert.strictEqual(outcome(yield* bank(own, 0n, dust)), "ACCEPTED")
        assert.strictEqual(yield* kept(own, payoutScope), n)
      }
      assert.strictEqual(outcome(yield* bank(own, 250_00n)), "below_minimum")
      assert.strictEqual(outcome(yield* bank(own, 250_01n)), "ACCEPTED")
      assert.deepStrictEqual(yield* wrong(own), [])
    }).pipe(Effect.provide(store))
  )
})

describe("the review of what is paid out", () => {
  it.effect(
    "is asked for bank transfers from the threshold on, by another than their maker, and sends what is approved",
    () =>
      Effect.gen(function* () {
        const id = yield* payer({ payoutReviewUsd: "500" })
        assert.strictEqual(outcome(yield* bank(id, 499_99n)), "ACCEPTED")
        const waits = idOf(yield* bank(id, 500_00n))
        assert.strictEqual((yield* found(id, waits)).status, "IN_REVIEW")
        assert.strictEqual(yield* decide(id, waits, "APPROVE", "maker"), "state_conflict")
        yield* decide(id, waits, "APPROVE")
        const approved = yield* found(id, waits)
        assert.deepStrictEqual([approved.status, reviewOf(approved)?.by], ["ACCEPTED", "checker"])
        assert.strictEqual(yield* decide(id, waits, "REJECT"), "state_conflict")
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
  )

  for (const [verdict, reason] of [
    ["REJECT", "review_rejected"],
    ["CANCEL", "cancelled_by_operator"]
  ] as const)
    it.effect(`gives back amount and usage where the word is ${verdict}, and no review is left pending`, () =>
      Effect.gen(function* () {
        const id = yield* payer({ payoutReviewUsd: "500" })
        for (const made of [idOf(yield* bank(id, 500_00n)), idOf(yield* chain(id, 500_00n))]) {
          yield* decide(id, made, verdict)
          const over = yield* found(id, made)
          assert.deepStrictEqual(
            [over.status, over.details.failure_reason, reviewOf(over)?.state],
            ["FAILED", reason, "REJECTED"]
          )
        }
        assert.strictEqual(yield* kept(id, payoutScope), 0n)
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
    )

  it.effect("is over with its operation, whoever ends that", () =>
    Effect.gen(function* () {
      const id = yield* payer({ payoutReviewUsd: "500" })
      const waits = yield* found(id, idOf(yield* bank(id, 500_00n)))
      yield* hear(id, waits, refused("cancelled before it was sent"))
      const over = yield* found(id, waits.id)
      assert.deepStrictEqual([over.status, reviewOf(over)?.state], ["FAILED", "REJECTED"])
      assert.strictEqual(yield* kept(id, payoutScope), 0n)
      const payout = yield* found(id, idOf(yield* chain(id, 500_00n)))
      const { payout: held } = yield* stateOf(id, payout.id)
      yield* submit(
        id,
        cancelPayout({ payout: held, transaction: undefined, by: "anna", currencies: defaultCurrencies })
      )
      const review = reviewOf(yield* found(id, payout.id))
      assert.deepInclude(review, { state: "REJECTED", by: "anna" })
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})
