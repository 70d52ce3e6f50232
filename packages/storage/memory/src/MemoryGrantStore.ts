import { fleetTenantId, Grant, GrantProposal } from "@bursar/core/grant/Grant"
import { GrantStore } from "@bursar/core/grant/GrantStore"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Layer } from "effect"
import { recordsOf, Store } from "./Store.ts"

/** The chains of grants, in memory. */
export const layer = Layer.effect(
  GrantStore,
  Effect.map(Store, (state) => {
    const all = <A, K>(chain: TenantId | null, of: RecordDefinition<A, K>): ReadonlyMap<string, A> => {
      const tenant = state.tenants.get(chain ?? fleetTenantId)
      return tenant === undefined ? new Map() : recordsOf(tenant, of)
    }
    return GrantStore.of({
      after: (chain, number, limit) =>
        Effect.sync(() =>
          [...all(chain, Grant).values()]
            .filter((grant) => grant.number > number)
            .toSorted((one, other) => one.number - other.number)
            .slice(0, limit)
        ),
      ends: Effect.sync(() =>
        [...state.tenants.keys()].flatMap((tenantId) => {
          const numbers = [...all(tenantId, Grant).values()].map(({ number }) => number)
          return tenantId === fleetTenantId || numbers.length === 0 ? [] : { tenantId, number: Math.max(...numbers) }
        })
      ),
      proposals: (chain, now, limit) =>
        Effect.sync(() => {
          const waits = ({ expiresAt, state: standing }: GrantProposal) => standing === "OPEN" && expiresAt > now
          const newest = [...all(chain, GrantProposal).values()].toSorted(
            (one, other) => other.proposedAt - one.proposedAt || (one.id < other.id ? 1 : -1)
          )
          return [...newest.filter(waits), ...newest.filter((one) => !waits(one)).slice(0, limit)]
        }),
      proposal: (chain, id) => Effect.sync(() => all(chain, GrantProposal).get(id))
    })
  })
)
