import { SealedKey } from "@bursar/core/port/SealedKey"
import { KeyStore } from "@bursar/core/port/KeyStore"
import { StorageError } from "@bursar/core/engine/StorageError"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { compareText } from "./byAge.ts"
import { changing, recordsOf, Store } from "./Store.ts"

/** What the vault has sealed, in memory. */
export const layer = Layer.effect(
  KeyStore,
  Effect.gen(function* () {
    const state = yield* Store
    const keysOf = (tenantId: TenantId) => {
      const tenant = state.tenants.get(tenantId)
      return tenant === undefined ? undefined : changing(tenant, SealedKey)
    }
    const first = (tenantId: TenantId, kind: SealedKey["kind"]) =>
      [...(keysOf(tenantId)?.values() ?? [])].find((key) => key.kind === kind)
    return KeyStore.of({
      putFirst: (key) =>
        Effect.suspend(() => {
          const keys = keysOf(key.tenantId)
          if (keys === undefined) {
            return Effect.fail(new StorageError({ doing: "store a sealed key", cause: new Error("no such tenant") }))
          }
          const there = first(key.tenantId, key.kind)
          if (there !== undefined) return Effect.succeed(there)
          keys.set(key.id, key)
          return Effect.succeed(key)
        }),
      first: (tenantId, kind) => Effect.sync(() => first(tenantId, kind)),
      byId: (tenantId, id) => Effect.sync(() => keysOf(tenantId)?.get(id)),
      page: (after, limit) =>
        Effect.sync(() =>
          [...state.tenants.values()]
            .flatMap((tenant) => [...recordsOf(tenant, SealedKey).values()])
            .toSorted((left, right) => compareText(left.tenantId, right.tenantId) || compareText(left.id, right.id))
            .filter(
              ({ id, tenantId }) =>
                after === undefined || (compareText(tenantId, after.tenantId) || compareText(id, after.id)) > 0
            )
            .slice(0, limit)
        ),
      reseal: (key, sealed) =>
        Effect.sync(() => {
          const keys = keysOf(key.tenantId)
          const there = keys?.get(key.id)
          if (keys === undefined || there?.sealed !== key.sealed) return false
          keys.set(key.id, { ...there, sealed })
          return true
        })
    })
  })
)
