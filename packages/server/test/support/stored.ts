import type { RecordDefinition } from "@bursar/core/engine/Records"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { changing } from "@bursar/memory/Store"

/** The records of a kind that a tenant has, by the texts of their keys: to be looked at, or changed behind the back of the service. */
export const stored = <A, K>(state: State, tenantId: TenantId, of: RecordDefinition<A, K>): Map<string, A> => {
  const tenant = state.tenants.get(tenantId)
  return tenant === undefined ? new Map() : changing(tenant, of)
}
