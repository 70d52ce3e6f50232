import { type Timestamp, toIso } from "../base/Timestamp.ts"
import { Destination } from "../destination/Destination.ts"
import { readRecord, type RecordRead } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { GrantDocument, GrantOf } from "./GrantDocument.ts"
import { grantedCoolingHours, type TenantState } from "./GrantState.ts"
import { coolingHours } from "../tenant/Tenant.ts"

/** By how much the clock of whoever made a document may differ. */
const clockSkewMs = 60_000

/** Whether a document says that it was proposed later than now. Once that time has come, it would seem to know what was done until then. */
export const isOfFuture = ({ proposed_at: proposed }: GrantDocument, now: Timestamp): boolean =>
  Date.parse(proposed) > now + clockSkewMs

const isLiveDestination = (document: GrantDocument): document is GrantOf<"destination"> =>
  document.kind === "destination" && document.values.state === "ACTIVE"

/** What `arrivalProblem` reads. */
export const arrivalReads = (document: GrantDocument): ReadonlyArray<RecordRead> =>
  isLiveDestination(document) ? [readRecord(Destination, document.values.id)] : []

/** The row of a destination that is imported. */
const rowOf = (view: View, { values }: GrantOf<"destination">): Destination | undefined => {
  const found = view.get(Destination, values.id)
  return found !== undefined &&
    (["currency", "network", "address", "memo"] as const).every((field) => found[field] === values[field])
    ? found
    : undefined
}

/** For how many hours a destination waits: operators may have made that longer, which is nothing for one that they had verified before. */
const hoursOf = (view: View, tenant: TenantState, row: Destination | undefined): number => {
  const granted = grantedCoolingHours(tenant)
  return row === undefined || row.verifiedAt === null ? Math.max(granted, coolingHours(view.tenant.policy)) : granted
}

/**
 * Why a document that brings its approvals along may not be appended now; undefined where it may. It comes from outside, so `proposed_at` is what its
 * author chose: nobody else has seen it before. The waiting time of a destination counts from when the service has seen it, so that there is
 * time to notice it, and nothing is proposed in the future.
 */
export const arrivalProblem = (
  view: View,
  document: GrantDocument,
  tenant: TenantState | undefined
): string | undefined => {
  if (isOfFuture(document, view.now))
    return `it says that it was proposed at ${document.proposed_at}, which is in the future: look at the clock of the machine that made it`
  if (tenant === undefined || !isLiveDestination(document)) return undefined
  const row = rowOf(view, document)
  const hours = hoursOf(view, tenant, row)
  // since the service has had it: another than an imported one is seen for the first time now
  const earliest = (row?.createdAt ?? view.now) + hours * 3_600_000
  return Date.parse(document.values.usable_from) + clockSkewMs >= earliest
    ? undefined
    : `the destination may be used from ${toIso(earliest)} on at the earliest: ${hours} hours after it came here, whenever it was proposed; make a new document that says so, or propose it here`
}
