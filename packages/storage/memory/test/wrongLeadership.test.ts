import { Leadership } from "@bursar/core/port/Leadership"
import { failuresOf } from "@bursar/testkit/suites/failuresOf"
import { leadershipTests } from "@bursar/testkit/suites/leadershipSuite"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"

const leaseMs = 200

/** Leaderships by leases, and what takes all of them away. */
const leased = ({ interrupts, renews }: { readonly interrupts: boolean; readonly renews: boolean }) => {
  const leases = new Map<string, { readonly epoch: number; readonly until: number }>()
  const epochs = new Map<string, number>()
  const layer = Layer.succeed(
    Leadership,
    Leadership.of({
      lead: (name, work) => {
        const isHeld = (epoch: number) => leases.get(name)?.epoch === epoch
        const end = (epoch: number) => Effect.sync(() => isHeld(epoch) && leases.delete(name))
        const renew = (epoch: number) =>
          Effect.gen(function* () {
            const until = (yield* Clock.currentTimeMillis) + 5 * leaseMs
            if (isHeld(epoch) && renews) leases.set(name, { epoch, until })
            return isHeld(epoch) || !interrupts
          })
        return Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          if ((leases.get(name)?.until ?? 0) > now) return
          const epoch = (epochs.get(name) ?? 0) + 1
          epochs.set(name, epoch)
          leases.set(name, { epoch, until: now + leaseMs })
          const lost = Effect.repeat(Effect.delay(renew(epoch), 10), { while: (held) => held })
          yield* Effect.raceFirst(Effect.asVoid(lost), Effect.scoped(work({ name, epoch }))).pipe(
            Effect.catchCause(() => Effect.void),
            Effect.ensuring(end(epoch))
          )
        }).pipe(Effect.andThen(Effect.sleep(10)), Effect.forever)
      }
    })
  )
  return { layer, lose: Effect.sync(() => leases.clear()) }
}

const failures = (how: Parameters<typeof leased>[0]) => {
  const { layer, lose } = leased(how)
  return failuresOf(layer, (tests) =>
    leadershipTests(tests, { second: layer, lapsesAfterMs: leaseMs, lose, timeoutMs: 3_000 })
  )
}

it.live("leaderships by leases that are renewed pass, and those whose leases lapse under their work are refused", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* failures({ interrupts: true, renews: true }), [])
    assert.include(
      yield* failures({ interrupts: false, renews: false }),
      "a term goes on for as long as its work does, and nobody else leads meanwhile"
    )
  })
)

it.live("a leadership that does not end its work when it is lost is refused", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* failures({ interrupts: false, renews: true }), [
      "work whose leadership is lost is interrupted, and another term begins with a higher epoch"
    ])
  })
)
