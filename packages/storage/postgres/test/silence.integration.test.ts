import { Queries } from "@bursar/core/store/Queries"
import { Storage } from "@bursar/core/engine/Storage"
import { Connection, layer as layerPostgres, layerConnection } from "@bursar/postgres"
import { heardSocket } from "@bursar/postgres/heardSocket"
import { contextAt, emitting } from "@bursar/testkit/fixtures/commands"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it, layer } from "@effect/vitest"
import { Cause, Clock, Context, Effect, Exit, Layer, Redacted } from "effect"
import { migratedDatabase } from "./database.ts"
import { silentProxy } from "./silentProxy.ts"

const { ports, url } = await migratedDatabase()

const now = Effect.map(Clock.currentTimeMillis, contextAt)

/** A session is closed after half as long again; a statement of a commit may take a third. */
const statementMaxMs = 1_500

/** A process that sees the database through a proxy. */
const behindProxy = Effect.gen(function* () {
  const proxy = yield* silentProxy(Redacted.value(url))
  const context = yield* Layer.build(
    layerPostgres({ url: Redacted.make(proxy.url), maxConnections: 2, statementMaxMs })
  )
  const storage = Context.get(context, Storage)
  const queries = Context.get(context, Queries)
  const tenant = yield* newTenant()
  const commit = Effect.flatMap(now, (at) => storage.commit(tenant.id, [emitting()], at))
  const eventIds = Effect.map(queries.events(tenant.id, 0, 10), (events) => events.map(({ id }) => id))
  return { proxy, commit, eventIds }
})

const failure = (exit: Exit.Exit<unknown, { readonly _tag: string }>): string | undefined =>
  Exit.isFailure(exit) ? exit.cause.reasons.find(Cause.isFailReason)?.error._tag : undefined

describe("a session that falls silent, as when the database's host vanishes", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("fails the commit that never arrived, and the next one finds its way", () =>
      Effect.gen(function* () {
        const { commit, eventIds, proxy } = yield* behindProxy
        assert.deepStrictEqual(yield* commit, [Exit.succeed(1)])
        yield* proxy.hush
        assert.strictEqual(failure(yield* Effect.exit(commit)), "StorageError")
        assert.deepStrictEqual(yield* commit, [Exit.succeed(2)])
        assert.deepStrictEqual(yield* eventIds, [1, 2])
      })
    )

    it.effect("does not hide that a commit was made whose answer was lost", () =>
      Effect.gen(function* () {
        const { commit, eventIds, proxy } = yield* behindProxy
        yield* proxy.hushAnswersTo("insert into commit_receipt")
        assert.deepStrictEqual(yield* commit, [Exit.succeed(1)])
        assert.deepStrictEqual(yield* eventIds, [1])
      })
    )

    it.effect("fails a read, and the next one finds its way", () =>
      Effect.gen(function* () {
        const { eventIds, proxy } = yield* behindProxy
        assert.deepStrictEqual(yield* eventIds, [])
        yield* proxy.hush
        assert.strictEqual(failure(yield* Effect.exit(eventIds)), "StorageError")
        assert.deepStrictEqual(yield* eventIds, [])
      })
    )
  })

  it.effect("is not one on which a long read is under way", () =>
    Effect.gen(function* () {
      const { long } = Context.get(yield* Layer.build(layerConnection({ url, statementMaxMs: 200 })), Connection)
      assert.deepStrictEqual(yield* long`select 1 as one from pg_sleep(0.5)`, [{ one: 1 }])
    })
  )

  it("is watched for wherever a database is reached by TCP", () => {
    for (const local of ["postgres:///bursar?host=/var/run/postgresql", "postgres://localhost/bursar?host=/tmp"])
      assert.isUndefined(heardSocket(local, 1_000), local)
    for (const odd of ["nonsense", "postgres://%zz/bursar"]) assert.isUndefined(heardSocket(odd, 1_000), odd)
    for (const remote of ["postgres://db.example/bursar", "postgres:///bursar", "postgres://[::1]:5433/bursar"])
      assert.isFunction(heardSocket(remote, 1_000), remote)
  })
})
