import type { Command } from "@bursar/core/engine/Command"
import { createPayout } from "@bursar/core/payout/createPayout"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import { payer, refusalOf, request, store, submit } from "./world.ts"

/** A rule that is built from existing commands: all of them or none. */
const all = <A>(...parts: ReadonlyArray<Command<A>>): Command<ReadonlyArray<A>> => ({
  name: "All",
  reads: parts.flatMap(({ reads }) => reads),
  decide: (view) =>
    Result.map(Result.all(parts.map((part) => part.decide(view))), (decided) => ({
      changes: decided.flatMap(({ changes }) => changes),
      reply: decided.map(({ reply }) => reply)
    }))
})

it.effect("a rule of several payouts does not pass the daily limit that it counts against only once", () =>
  Effect.gen(function* () {
    const { id } = yield* payer({ payoutDailyLimitUsd: "150", payoutReviewUsd: null, payoutNewAddressLimitUsd: null })
    const one = createPayout(yield* request())
    assert.isTrue(Exit.hasDies(yield* Effect.exit(submit(id, all(one, one, one)))))
    assert.strictEqual((yield* submit(id, all(one))).length, 1)
    assert.strictEqual(yield* refusalOf(id), "daily_limit_exceeded")
  }).pipe(Effect.provide(store))
)
