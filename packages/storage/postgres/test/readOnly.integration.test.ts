import { Storage } from "@bursar/core/engine/Storage"
import { Connection, layer as layerPostgres, layerConnection } from "@bursar/postgres"
import { contextAt, emitting } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Layer, Redacted, Schedule } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()
const now = Effect.map(Clock.currentTimeMillis, contextAt)
const options = { url, maxConnections: 2, statementMaxMs: 1_500 }

/** Opens sessions that cannot write by using them, and then has the server take writes again from whoever connects. */
const openedReadOnly = Effect.fnUntraced(function* <A, E, R>(write: Effect.Effect<A, E, R>) {
  const sql = yield* client(url)
  const database = sql(new URL(Redacted.value(url)).pathname.slice(1))
  yield* sql`alter database ${database} set default_transaction_read_only = on`
  assert.isTrue(Exit.isFailure(yield* Effect.exit(write)))
  yield* sql`alter database ${database} reset default_transaction_read_only`
})

describe("a session whose server only reads, as that of a primary that was demoted", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("is given up once a commit has failed on it: no more fail than there are sessions", () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const storage = Context.get(yield* Layer.build(layerPostgres(options)), Storage)
        const commit = Effect.flatMap(now, (at) => storage.commit(tenant.id, [emitting()], at))
        yield* openedReadOnly(commit)
        // another may have been opened beside it
        assert.deepStrictEqual(yield* Effect.retry(commit, { times: options.maxConnections - 1 }), [Exit.succeed(1)])
      })
    )

    it.effect("is lent for other writes no longer than for a while, however busy it is", () =>
      Effect.gen(function* () {
        const { sql } = Context.get(yield* Layer.build(layerConnection(options)), Connection)
        const write = sql`insert into lease (name, epoch) values ('written beside commits', 1)`
        yield* openedReadOnly(write)
        yield* Effect.retry(write, { schedule: Schedule.spaced("100 millis"), times: 50 })
        // and the pool is whole afterwards
        const answers = yield* Effect.forEach(Array.from({ length: 10 }), () => sql`select 1`, {
          concurrency: "unbounded"
        })
        assert.strictEqual(answers.length, 10)
      })
    )
  })
})
