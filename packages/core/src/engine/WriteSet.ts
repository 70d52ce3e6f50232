import type { Event } from "../event/Event.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import type { Tenant, TenantId } from "../tenant/Tenant.ts"
import type { DirectoryWrites } from "./Directory.ts"
import type { JobEntry } from "./JobEntry.ts"
import type { WrittenRecords } from "./Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"

/** The row whose lock serialises a tenant: its counters and the moment of its last commit. */
export interface Head {
  readonly tenant: Tenant
  readonly changeSeq: number
  readonly eventId: number
  readonly postingSeq: number
  readonly lastAt: Timestamp
}

/**
 * A head as it is when a tenant is made. Nothing has changed yet: its last moment is the one before, so that the first change may be at the moment at
 * which the tenant was made, and shows there as a change.
 */
export const firstHead = (tenant: Tenant): Head => ({
  tenant,
  changeSeq: 0,
  eventId: 0,
  postingSeq: 0,
  lastAt: tenant.createdAt - 1
})

/**
 * All that a batch writes. Events, legs and records that are put once (`insertOnly`) are new rows; other records replace the
 * row of the same key.
 */
export interface WriteSet extends DirectoryWrites {
  readonly tenantId: TenantId
  readonly head: Head
  /** Set only where the tenant's own record changed. */
  readonly tenant: Tenant | undefined
  readonly legs: ReadonlyArray<PostedLeg>
  readonly balances: ReadonlyArray<Balance>
  readonly events: ReadonlyArray<Event>
  /** By kind: a kind of which nothing is put is left out. */
  readonly records: ReadonlyArray<WrittenRecords>
  readonly jobs: ReadonlyArray<JobEntry>
}
