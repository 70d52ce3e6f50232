import { GrantStore } from "@bursar/core/grant/GrantStore"
import { SigningView } from "@bursar/core/port/SigningView"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { layer as layerPostgres } from "@bursar/postgres"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { client } from "./client.ts"
import { migratedDatabase } from "./database.ts"

const { ports, url } = await migratedDatabase()

/** Has the server say of itself to whoever connects from now on that it is a standby. */
const demote = Effect.gen(function* () {
  const sql = yield* client(url)
  yield* sql`create schema demoted`
  yield* sql`create function demoted.pg_is_in_recovery() returns boolean language sql as 'select true'`
  const database = sql(new URL(Redacted.value(url)).pathname.slice(1))
  yield* sql`alter database ${database} set search_path = demoted, pg_catalog, public`
})

describe("what the signer reads of a server that was demoted", () => {
  layer(ports(), { excludeTestServices: true })((it) => {
    it.effect("is no answer, for it may be behind", () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const other = TenantId("00000000-0000-4000-8000-0000000000ff")
        const { after } = yield* GrantStore
        const primary = yield* SigningView
        assert.isDefined(yield* primary.progress(tenant.id))
        assert.deepStrictEqual(yield* primary.onPrimary(after(null, 0, 1)), yield* after(null, 0, 1))
        yield* demote
        const context = yield* Layer.build(layerPostgres({ url, maxConnections: 2 }))
        const standby = Context.get(context, SigningView)
        const isNone = <A, E extends { readonly _tag: string }, R>(read: Effect.Effect<A, E, R>) =>
          Effect.map(Effect.flip(read), ({ _tag }) => assert.strictEqual(_tag, "StorageError"))
        yield* isNone(standby.progress(tenant.id))
        yield* isNone(standby.progress(other))
        yield* isNone(standby.progressOfAll)
        yield* isNone(standby.onPrimary(Context.get(context, GrantStore).after(null, 0, 1)))
      })
    )
  })
})
