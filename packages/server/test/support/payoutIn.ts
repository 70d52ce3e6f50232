import type { Payout } from "@bursar/core/payout/Payout"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"

/** A payout as it is stored. */
export const payoutIn = (state: State, tenant: TenantId, id: string): Payout => {
  const found = state.tenants.get(tenant)?.records.get("Payout")?.get(id)
  if (found === undefined || !("spendId" in found) || !("madeBy" in found)) throw new Error(`there is no payout ${id}`)
  return found
}
