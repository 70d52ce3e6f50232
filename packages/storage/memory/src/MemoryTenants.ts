import { firstHead } from "@bursar/core/engine/WriteSet"
import { StorageError } from "@bursar/core/engine/StorageError"
import { Tenants } from "@bursar/core/port/Tenants"
import { ApiKey } from "@bursar/core/access/ApiKey"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Effect, Layer } from "effect"
import { byAge } from "./byAge.ts"
import { signingKeysOf } from "./signingKeysOf.ts"
import { emptyTenant, holderOf, recordsOf, Store } from "./Store.ts"

/** The directory of tenants and keys, in memory. */
export const layer = Layer.effect(
  Tenants,
  Effect.gen(function* () {
    const state = yield* Store
    // the fleet has the form of a tenant, and is none
    const byId = (id: TenantId) => (id === fleetTenantId ? undefined : state.tenants.get(id)?.head.tenant)
    return Tenants.of({
      create: (tenant) =>
        Effect.suspend(() => {
          if (state.slugs.has(tenant.slug)) return Effect.succeed(false)
          if (state.tenants.has(tenant.id)) {
            return Effect.fail(
              new StorageError({ doing: "create tenant", cause: new Error(`the tenant ${tenant.id} exists`) })
            )
          }
          state.slugs.set(tenant.slug, tenant.id)
          state.tenants.set(tenant.id, emptyTenant(firstHead(tenant)))
          return Effect.succeed(true)
        }),
      byId: (id) => Effect.sync(() => byId(id)),
      bySlug: (slug) =>
        Effect.sync(() => {
          const id = state.slugs.get(slug)
          return id === undefined ? undefined : byId(id)
        }),
      list: Effect.sync(() => ({
        tenants: [...state.tenants.values()]
          .map(({ head }) => head.tenant)
          .filter(({ id }) => id !== fleetTenantId)
          .toSorted(byAge),
        unreadable: []
      })),
      key: (id) =>
        Effect.sync(() => {
          const owner = holderOf(state, ApiKey, id)
          const key = owner === undefined ? undefined : recordsOf(owner, ApiKey).get(id)
          return owner === undefined || key === undefined ? undefined : { key, tenant: owner.head.tenant }
        }),
      keys: (tenantId) =>
        Effect.sync(() => {
          const tenant = state.tenants.get(tenantId)
          return tenant === undefined ? [] : [...recordsOf(tenant, ApiKey).values()].toSorted(byAge)
        }),
      signingKeys: (tenantId) =>
        Effect.sync(() => {
          const tenant = state.tenants.get(tenantId)
          return tenant === undefined ? [] : signingKeysOf(tenant)
        })
    })
  })
)
