import * as InFlight from "@bursar/server/idempotency/InFlight"
import { interruptedAt, pausedAt, steps } from "@bursar/testkit/fixtures/interruptedAt"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"

describe("a request with an idempotency key that is under way", () => {
  it.live("keeps no rival waiting, at whichever step it is broken off", () =>
    Effect.gen(function* () {
      for (const step of steps) {
        const { oneAtATime } = Context.get(yield* Layer.build(InFlight.layer), InFlight.InFlight)
        const ask = oneAtATime("key", Effect.succeed("done"), () => "busy")
        yield* interruptedAt(step, ask)
        assert.strictEqual(yield* ask, "done")
      }
    }).pipe(Effect.scoped)
  )

  it.live("has no rival beside it, at whichever step it gives way", () =>
    Effect.gen(function* () {
      for (const step of steps) {
        const { oneAtATime } = Context.get(yield* Layer.build(InFlight.layer), InFlight.InFlight)
        let [atWork, most] = [0, 0]
        const work = Effect.sync(() => void (most = Math.max(most, ++atWork))).pipe(
          Effect.andThen(Effect.yieldNow),
          Effect.andThen(Effect.sync(() => void (atWork -= 1)))
        )
        const ask = oneAtATime("key", work, () => "busy")
        const first = yield* pausedAt(step, ask)
        yield* ask
        yield* Fiber.join(first)
        assert.strictEqual(most, 1, `step ${step}`)
      }
    }).pipe(Effect.scoped)
  )
})
