import { type TenantWaiting, waitingMax } from "@bursar/api/operator/OperatorWaiting"
import { mayBeCut } from "../../ui/listMax.ts"

/** What waits in all, whether it can be more, and the tenants of which something does: those with the most first. */
export const summedUp = (
  all: ReadonlyArray<TenantWaiting>,
  countOf: (tenant: TenantWaiting) => number
): { readonly count: number; readonly isCut: boolean; readonly tenants: ReadonlyArray<TenantWaiting> } => {
  const tenants = all.filter((one) => countOf(one) > 0).toSorted((one, other) => countOf(other) - countOf(one))
  return {
    count: tenants.reduce((sum, one) => sum + countOf(one), 0),
    isCut: tenants.some((one) => mayBeCut(countOf(one), waitingMax)),
    tenants
  }
}
