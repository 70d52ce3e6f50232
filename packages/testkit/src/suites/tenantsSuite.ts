import type { Storage } from "@bursar/core/engine/Storage"
import { Tenants } from "@bursar/core/port/Tenants"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { addApiKey, revokeApiKey, setTenantStatus } from "@bursar/core/access/tenantCommands"
import { assert, layer as layerTests } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { apiKeyFields } from "../fixtures/keys.ts"
import { difficultText } from "../fixtures/records.ts"
import { commitAt, newTenant, past, tenantRecord } from "../fixtures/tenants.ts"
import { type Second, secondOf, type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"

/** Settings of the suite of Tenants. */
export interface TenantsSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<Tenants>
}

/** The tests of the suite. */
export const tenantsTests = (it: SuiteIt<Tenants | Storage>, options: TenantsSuiteOptions): void => {
  it.effect("a tenant is found by id and slug as it was made", () =>
    Effect.gen(function* () {
      const tenants = yield* Tenants
      const tenant = yield* newTenant({
        name: difficultText,
        kind: "SANDBOX",
        status: "ONBOARDING",
        policy: {
          ...defaultPolicy,
          ipAllowlist: ["192.0.2.0/24"],
          ceilingPerMinute: 60,
          creditOrigins: ["ISSUED"],
          creditHistorical: true,
          holdOnIssuance: true,
          holdOnImport: true,
          holdOnArrival: true
        }
      })
      assert.deepStrictEqual(yield* tenants.byId(tenant.id), tenant)
      assert.deepStrictEqual(yield* tenants.bySlug(tenant.slug), tenant)
      for (const slug of [tenant.slug.toUpperCase(), `${tenant.slug} `])
        assert.isUndefined(yield* tenants.bySlug(slug), "slugs that are written otherwise")
      const unknown = tenantRecord(past)
      assert.isUndefined(yield* tenants.byId(unknown.id))
      assert.isUndefined(yield* tenants.bySlug(unknown.slug))
    })
  )

  it.effect("a slug is given once, to racers too, and nothing is written for those who lose", () =>
    Effect.gen(function* () {
      const tenants = yield* Tenants
      const second = yield* secondOf(Tenants, options.second)
      const slug = tenantRecord(past).slug
      const racers = Array.from({ length: 16 }, () => tenantRecord(past, { slug }))
      const made = yield* Effect.forEach(racers, (racer, n) => (n % 2 === 0 ? tenants : second).create(racer), {
        concurrency: "unbounded"
      })
      assert.strictEqual(made.filter((won) => won).length, 1)
      assert.deepStrictEqual(yield* tenants.bySlug(slug), racers[made.indexOf(true)])
      for (const [index, racer] of racers.entries()) {
        assert.strictEqual((yield* tenants.byId(racer.id)) !== undefined, made[index])
      }
    })
  )

  it.effect("tenants are listed oldest first", () =>
    Effect.gen(function* () {
      const tenants = yield* Tenants
      const younger = yield* newTenant({ createdAt: past + 1 })
      const older = yield* newTenant({ createdAt: past - 1 })
      const ids = (yield* tenants.list).tenants.map(({ id }) => id)
      assert.isTrue(ids.indexOf(older.id) >= 0)
      assert.isTrue(ids.indexOf(older.id) < ids.indexOf(younger.id))
    })
  )

  it.effect("a key is found by its id with its tenant as that is now, revoked or not", () =>
    Effect.gen(function* () {
      const tenants = yield* Tenants
      const tenant = yield* newTenant({ createdAt: past, policy: { ...defaultPolicy, ipAllowlist: null } })
      const fields = apiKeyFields({ scopes: ["register:read", "withdrawals:write"] })
      yield* commitAt(tenant.id, past + 1, addApiKey(fields))
      const key = { ...fields, tenantId: tenant.id, createdAt: past + 1, revokedAt: null }
      assert.deepStrictEqual(yield* tenants.key(fields.id), { key, tenant })
      yield* commitAt(tenant.id, past + 2, revokeApiKey(fields.id), setTenantStatus("SUSPENDED"))
      assert.deepStrictEqual(yield* tenants.key(fields.id), {
        key: { ...key, seal: null, revokedAt: past + 2 },
        tenant: { ...tenant, status: "SUSPENDED" }
      })
      assert.isUndefined(yield* tenants.key(apiKeyFields().id))
      const start = crypto.randomUUID().slice(0, 7)
      const alike = ["a", "A"].map((end) => apiKeyFields({ id: `${start}${end}` }))
      for (const [index, each] of alike.entries()) {
        assert.isUndefined(yield* tenants.key(each.id))
        yield* commitAt(tenant.id, past + 3 + index, addApiKey(each))
      }
      for (const { id } of alike) assert.strictEqual((yield* tenants.key(id))?.key.id, id)
    })
  )

  it.effect("the keys of a tenant are its own, oldest first", () =>
    Effect.gen(function* () {
      const tenants = yield* Tenants
      const [one, other] = [yield* newTenant({ createdAt: past }), yield* newTenant({ createdAt: past })]
      const fields = Array.from({ length: 3 }, () => apiKeyFields())
      for (const [index, each] of fields.entries()) yield* commitAt(one.id, past + index, addApiKey(each))
      yield* commitAt(other.id, past, addApiKey(apiKeyFields()))
      assert.deepStrictEqual(
        (yield* tenants.keys(one.id)).map(({ id }) => id),
        fields.map(({ id }) => id)
      )
    })
  )
}

/** What every Tenants must do: the directory of tenants and keys. */
export const tenantsSuite = (
  name: string,
  layer: Layer.Layer<Tenants | Storage, unknown>,
  options: TenantsSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Tenants`, (it) =>
    tenantsTests(it, options)
  )
}
