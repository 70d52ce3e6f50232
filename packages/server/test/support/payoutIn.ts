import { Payout } from "@bursar/core/payout/Payout"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { stored } from "./stored.ts"

/** A payout as it is stored. */
export const payoutIn = (state: State, tenant: TenantId, id: string): Payout => {
  const found = stored(state, tenant, Payout).get(id)
  if (found === undefined) throw new Error(`there is no payout ${id}`)
  return found
}
