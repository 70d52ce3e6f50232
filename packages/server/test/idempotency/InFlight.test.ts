import * as InFlight from "@bursar/server/idempotency/InFlight"
import { interruptedAt, steps } from "@bursar/testkit/fixtures/interruptedAt"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"

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
})
