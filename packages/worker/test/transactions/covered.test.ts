import { payoutPhase } from "@bursar/testkit/fixtures/payoutPhase"
import { Queries } from "@bursar/core/store/Queries"
import { emptyState } from "@bursar/memory"
import { fakeNetwork } from "../fakeNetwork.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { allOver, ledgerHolds, mineUntil, pay, payer, processOver, sending, tick } from "./world.ts"
import { Payout } from "@bursar/core/payout/Payout"

/** What the wallets of these tests have: nearly all of it is paid out, in two parts. */
const [first, second] = [60_000_000_000n, 39_000_000_000n]

/** Followed once a minute, so that what is mined is not known for long. */
const limits = { checkFirstMs: 60_000, checkLongestMs: 60_000, retryFirstMs: 500, retryLongestMs: 300_000 }

describe("a wallet that has just what is asked for", () => {
  it.effect("pays it as soon as what was mined is looked up, though it counted twice until then", () => {
    const fake = fakeNetwork({ network: "ethereum" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(1_700_000_000_000)
      const { id } = yield* payer("ethereum", fake)
      const queries = yield* Queries
      const phaseOf = (payout: string) =>
        Effect.zipWith(payoutPhase(id, payout), queries.record(id, Payout, payout), (phase, one) => [
          phase,
          one?.waits?.reason
        ])
      yield* Effect.forkScoped(sending(fake, () => Effect.void, limits))
      const one = yield* pay(id, "ethereum", 1, first)
      for (let n = 0; n < 3; n++) yield* tick
      fake.mine(yield* Clock.currentTimeMillis)
      const other = yield* pay(id, "ethereum", 2, second)
      yield* TestClock.adjust("50 seconds")
      assert.deepStrictEqual(yield* phaseOf(one.id), ["BROADCAST", undefined])
      assert.deepStrictEqual(yield* phaseOf(other.id), ["HELD", "insufficient_wallet"])
      yield* TestClock.adjust("12 seconds")
      assert.deepStrictEqual(yield* phaseOf(one.id), ["INCLUDED", undefined])
      assert.deepStrictEqual(yield* phaseOf(other.id), ["BROADCAST", undefined])
      yield* mineUntil(fake, "both are over", allOver(id, [one, other]))
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(processOver(emptyState(), fake)))
  })
})
