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

/** Whether the server says of itself that it is a standby, to whoever connects from now on; and how often it was asked. */
const standbySwitch = Effect.gen(function* () {
  const sql = yield* client(url)
  const say = (isStandby: boolean) =>
    sql.unsafe(`create or replace function demoted.pg_is_in_recovery() returns boolean language sql
      as 'select nextval(''demoted.asked'') > 0 and ${isStandby}'`)
  yield* sql`create schema demoted`
  yield* sql`create sequence demoted.asked`
  yield* say(false)
  const database = sql(new URL(Redacted.value(url)).pathname.slice(1))
  yield* sql`alter database ${database} set search_path = demoted, pg_catalog, public`
  const asked = Effect.map(sql`select last_value from demoted.asked`, ([row]) => Number(row?.["last_value"]))
  const askedAgain = Effect.flatMap(asked, (before) =>
    Effect.repeat(asked, { until: (now) => now >= before + 3, schedule: Schedule.spaced("50 millis") })
  )
  return { say, askedAgain }
})

describe("the turn to sign", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
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

    it.effect("is lost with a server that has become a standby, and not had there, whose locks are its own", () =>
      Effect.gen(function* () {
        const { askedAgain, say } = yield* standbySwitch
        const { take } = Context.get(yield* Layer.build(layerPostgres({ url, maxConnections: 2 })), SignerTurn)
        const { isHeld, taken } = yield* take
        const before = taken()
        yield* say(true)
        yield* is(() => !isHeld())
        // nobody else has the lock
        yield* askedAgain
        assert.strictEqual(taken(), before)
        yield* say(false)
        yield* is(isHeld)
      })
    )
  })
})
