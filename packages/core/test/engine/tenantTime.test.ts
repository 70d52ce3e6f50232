import * as Writer from "@bursar/core/engine/Writer"
import * as Memory from "@bursar/memory"
import { emitting, looking } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Clock, Duration, Effect, Layer } from "effect"

/** A clock of a machine that carries out ten commits in a millisecond: each look at it takes a tenth of one. */
const fastMachine = () => {
  const machine = { nanos: 0n, sleptMs: 0 }
  const millis = () => past + Number(machine.nanos / 1_000_000n)
  const monotonic = () => (machine.nanos += 100_000n)
  const clock = (real: Clock.Clock): Clock.Clock =>
    Object.create(real, {
      currentTimeMillisUnsafe: { value: millis },
      currentTimeMillis: { value: Effect.sync(millis) },
      monotonicTimeNanosUnsafe: { value: monotonic },
      monotonicTimeNanos: { value: Effect.sync(monotonic) },
      sleep: {
        value: (duration: Duration.Duration) =>
          Effect.sync(() => {
            machine.sleptMs += Duration.toMillis(duration)
            machine.nanos += BigInt(Duration.toMillis(duration)) * 1_000_000n
          })
      }
    })
  return {
    machine,
    millis,
    run: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Clock.clockWith((real) => Effect.provideService(effect, Clock.Clock, clock(real)))
  }
}

const sees = looking([], (view) => view.now)

layer(Layer.provideMerge(Writer.layer, Memory.layer))(
  "a tenant's time, where commits take less than a millisecond",
  (it) => {
    it.effect("goes on by each of them, and does not run ahead of the clock", () =>
      Effect.gen(function* () {
        const { millis, run } = fastMachine()
        const { submit } = yield* Writer.Writer
        const { id } = yield* newTenant({ createdAt: past })
        let before = 0
        yield* run(
          Effect.gen(function* () {
            for (let times = 0; times < 500; times++) {
              yield* submit(id, emitting())
              const moment = yield* submit(id, sees)
              assert.isAbove(moment, before)
              assert.isAtMost(moment - millis(), 15)
              before = moment
            }
          })
        )
      })
    )

    it.effect(
      "does not keep a process waiting until its clock has come to what another wrote whose clock is ahead",
      () =>
        Effect.gen(function* () {
          const { machine, run } = fastMachine()
          const { submit } = yield* Writer.Writer
          const { id } = yield* newTenant({ createdAt: past })
          yield* commitAt(id, past + 4_000, emitting())
          const commits = 100
          yield* run(Effect.repeat(submit(id, emitting()), { times: commits - 1 }))
          assert.isAbove(machine.sleptMs, 0)
          assert.isAtMost(machine.sleptMs, 2 * commits)
        })
    )
  }
)
