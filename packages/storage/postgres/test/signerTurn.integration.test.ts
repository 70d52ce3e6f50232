import { SignerTurn } from "@bursar/core/port/SignerTurn"
import { assert, describe, layer, vi } from "@effect/vitest"
import { layer as layerPostgres } from "@bursar/postgres"
import { Context, Effect, Fiber, Layer, Redacted, Schedule, Scope } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"
import { silentProxy } from "./silentProxy.ts"

const { ports, url } = await migratedDatabase()

const is = (what: () => boolean) =>
  Effect.repeat(Effect.sync(what), { until: (so) => so, schedule: Schedule.spaced("50 millis") })

/** Ends the sessions that hold or want the lock. */
const endSessions = Effect.flatMap(
  client(url),
  (sql) => sql`select pg_terminate_backend(l.pid) from pg_locks l where l.locktype = 'advisory'
    and l.database = (select oid from pg_database where datname = current_database())`
)

describe("the turn to sign", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("is lost with its session, and not held until it is taken again", () =>
      Effect.gen(function* () {
        const { take } = yield* SignerTurn
        const { isHeld, taken } = yield* take
        const before = taken()
        yield* endSessions
        yield* is(() => !isHeld())
        yield* is(isHeld)
        assert.isAbove(taken(), before)
      })
    )

    it.effect("is had by who waits for it on a session that fell silent", () =>
      Effect.gen(function* () {
        const { take } = yield* SignerTurn
        const proxy = yield* silentProxy(Redacted.value(url))
        const other = Context.get(yield* Layer.build(layerPostgres({ url: Redacted.make(proxy.url) })), SignerTurn)
        const outer = yield* Effect.scope
        const taking = yield* Effect.scoped(
          Effect.gen(function* () {
            yield* take
            const begun = yield* Effect.forkIn(Scope.provide(other.take, outer), outer)
            yield* proxy.sends("pg_try_advisory_lock")
            yield* proxy.hush
            return begun
          })
        )
        assert.isTrue((yield* Fiber.join(taking)).isHeld())
      })
    )

    it.effect("is not held by a process that stood still for longer than the database waits for it", () =>
      Effect.gen(function* () {
        const { take } = yield* SignerTurn
        const { isHeld } = yield* take
        assert.isTrue(isHeld())
        const now = performance.now.bind(performance)
        const later = vi.spyOn(performance, "now").mockImplementation(() => now() + 7_000)
        const after = isHeld()
        later.mockRestore()
        assert.isFalse(after)
        yield* is(isHeld)
      })
    )
  })
})
