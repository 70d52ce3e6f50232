import { Storage } from "@bursar/core/engine/Storage"
import { contextAt, writing } from "@bursar/testkit/fixtures/commands"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { layer, migrate } from "@bursar/postgres"
import { Clock, Deferred, Effect, Fiber, type Redacted } from "effect"
import { migrations } from "../src/migrations/all.ts"
import { client } from "./client.ts"
import { emptyDatabase } from "./database.ts"

const names = migrations.map(({ name }) => name)
const [newest, before] = migrations.map(({ id }) => id).toReversed()

/** Something else that has a lock until it is told to end: begun once this is through. */
const holding = Effect.fnUntraced(function* (url: Redacted.Redacted, lock: string) {
  const sql = yield* client(url)
  const [begun, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  yield* Effect.forkScoped(
    sql.withTransaction(
      Effect.andThen(sql.unsafe(lock), Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(ended)))
    )
  )
  yield* Deferred.await(begun)
  return Deferred.succeed(ended, undefined)
})

/** As pg_dump: it has this lock of each table until it ends. */
const backup = "lock table bursar_migration, tenant_head in access share mode"

describe("migrate beside others", () => {
  const current = emptyDatabase()
  it.live("waits for no backup where no step is missing, and no commit waits for it", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.promise(() => current)
      yield* migrate({ url })
      yield* Effect.gen(function* () {
        const { id } = yield* newTenant()
        const write = (yield* Storage).commit(id, [writing(() => [])], contextAt(past))
        const end = yield* holding(url, backup)
        const migrating = yield* Effect.forkChild(migrate({ url }))
        yield* Effect.sleep("500 millis")
        assert.lengthOf(yield* Effect.timeout(write, "5 seconds"), 1)
        assert.deepStrictEqual(yield* Effect.timeout(Fiber.join(migrating), "5 seconds"), [])
        yield* end
      }).pipe(Effect.provide(layer({ url, anyMoment: true })), Effect.scoped)
    })
  )

  const behind = emptyDatabase()
  it.live("gives up before the commits behind it fail where a backup keeps it from a step", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => behind)
        yield* migrate({ url })
        const sql = yield* client(url)
        yield* sql`delete from bursar_migration where migration_id = ${newest ?? 0}`
        const end = yield* holding(url, backup)
        const began = yield* Clock.currentTimeMillis
        const error = yield* Effect.flip(migrate({ url }))
        assert.isBelow((yield* Clock.currentTimeMillis) - began, 8_000)
        assert.strictEqual(error._tag, "StorageError")
        assert.deepStrictEqual(yield* sql`select max(migration_id) as step from bursar_migration`, [{ step: before }])
        yield* end
      })
    )
  )

  const first = emptyDatabase()
  it.live("waits for another one for as long as that takes", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => first)
        const end = yield* holding(url, "select pg_advisory_xact_lock(hashtextextended('bursar_migrate', 0))")
        const migrating = yield* Effect.forkChild(migrate({ url }))
        yield* Effect.sleep("4 seconds")
        assert.isUndefined(migrating.pollUnsafe())
        yield* end
        assert.deepStrictEqual(yield* Fiber.join(migrating), names)
      })
    )
  )
})
