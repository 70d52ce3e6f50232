import { assert, describe, it } from "@effect/vitest"
import { migrate } from "@bursar/postgres"
import { Effect, Redacted } from "effect"
import { migrations } from "../src/migrations/all.ts"
import { client } from "./client.ts"
import { emptyDatabase } from "./database.ts"

const names = migrations.map(({ name }) => name)

describe("migrate", () => {
  it("numbers its steps one after the other", () => {
    assert.deepStrictEqual(
      migrations.map(({ id }) => id),
      names.map((_, index) => index + 1)
    )
  })

  const twice = emptyDatabase()
  it.live("runs every step once, and nothing when it is run again", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.promise(() => twice)
      assert.deepStrictEqual(yield* migrate({ url }), names)
      assert.deepStrictEqual(yield* migrate({ url }), [])
    })
  )

  const together = emptyDatabase()
  it.live("run by several processes at once, is done by one of them", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.promise(() => together)
      const done = yield* Effect.all(
        Array.from({ length: 4 }, () => migrate({ url })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        done.filter((one) => one.length > 0),
        [names]
      )
    })
  )

  const quiet = emptyDatabase()
  it.live("leaves no connection open", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { url } = yield* Effect.promise(() => quiet)
        yield* migrate({ url })
        const sql = yield* client(url)
        const open = sql`select 1 from pg_stat_activity where datname = current_database() and application_name = 'bursar-migrate'`
        // the server sees the end of a session a moment after the client
        yield* Effect.repeat(open, { until: (rows) => rows.length === 0 })
      })
    )
  )

  it.live("fails with StorageError where there is no database", () =>
    Effect.gen(function* () {
      const { url } = yield* Effect.promise(() => twice)
      const gone = new URL(Redacted.value(url))
      gone.pathname = "/nowhere"
      const error = yield* Effect.flip(migrate({ url: Redacted.make(gone.toString()) }))
      assert.strictEqual(error._tag, "StorageError")
    })
  )
})
