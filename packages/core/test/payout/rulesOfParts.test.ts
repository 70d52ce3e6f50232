import { createPayout } from "@bursar/core/payout/createPayout"
import { all } from "@bursar/testkit/fixtures/commands"
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { payer, refusalOf, request, store, submit } from "./world.ts"

it.effect("a rule of several payouts does not pass the daily limit that it counts against only once", () =>
  Effect.gen(function* () {
    const { id } = yield* payer({ payoutDailyLimitUsd: "150", payoutReviewUsd: null, payoutNewAddressLimitUsd: null })
    const one = createPayout(yield* request())
    assert.isTrue(Exit.hasDies(yield* Effect.exit(submit(id, all(one, one, one)))))
    assert.strictEqual((yield* submit(id, all(one))).length, 1)
    assert.strictEqual(yield* refusalOf(id), "daily_limit_exceeded")
  }).pipe(Effect.provide(store))
)
