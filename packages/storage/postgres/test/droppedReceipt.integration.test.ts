import { StorageError } from "@bursar/core/engine/StorageError"
import { Queries } from "@bursar/core/store/Queries"
import { prune } from "@bursar/postgres/storage/receipts"
import { contextAt, emitting } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Cause, Clock, Effect, Exit, Option, Redacted } from "effect"
import { ConnectionError, SqlError } from "effect/sql/SqlError"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"
import { wrappedStorage } from "./wrapped.ts"

const { ports, url } = await migratedDatabase()

const connectionLost = new SqlError({
  reason: new ConnectionError({ cause: new Error("cut by the test"), operation: "query" })
})

/** Eleven minutes pass for the database, as seen by whoever opens a session from now on, and another process drops what is old by then. */
const elevenMinutesLater = Effect.gen(function* () {
  const sql = yield* client(url)
  const database = sql(new URL(Redacted.value(url)).pathname.slice(1))
  yield* sql`create schema later`
  yield* sql`create function later.clock_timestamp() returns timestamptz language sql
    as 'select pg_catalog.clock_timestamp() + interval ''11 minutes'''`
  yield* sql`alter database ${database} set search_path = later, public, pg_catalog`
  yield* sql`update commit_receipt set at = at - interval '11 minutes'`
  yield* prune(sql)
})

layer(ports(), { excludeTestServices: true })("a commit whose receipt was dropped before it was looked for", (it) => {
  it.effect("is not said to have failed", () =>
    Effect.gen(function* () {
      const queries = yield* Queries
      const tenant = yield* newTenant()
      const storage = yield* wrappedStorage(url, (query) => (text, ...rest) => {
        if (text !== "commit") return query(text, ...rest)
        return query(text, ...rest).pipe(
          Effect.andThen(Effect.orDie(Effect.scoped(elevenMinutesLater))),
          Effect.andThen(Effect.fail(connectionLost))
        )
      })
      const now = yield* Clock.currentTimeMillis
      const exit = yield* Effect.exit(storage.commit(tenant.id, [emitting()], contextAt(now)))
      const said = Exit.isSuccess(exit) ? exit._tag : Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      assert.lengthOf(yield* queries.events(tenant.id, 0, 10), 1)
      assert.strictEqual(said instanceof StorageError ? said.outcome : said, "unknown")
    })
  )
})
