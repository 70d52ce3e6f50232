import { Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Operation } from "../operation/Operation.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** An operation that cannot be read, such as one of a kind or status that only a newer release knows. */
export interface UnreadableOperation {
  readonly id: string
  readonly tenantId: TenantId
  /** As it is stored. */
  readonly kind: string
  /** As it is stored. */
  readonly status: string
  readonly createdAt: Timestamp
  /** Why it cannot be read. */
  readonly problem: string
}

/** An operation in a list, or what is known of one that cannot be read. */
export type ListedOperation = Operation | UnreadableOperation

/** Whether an operation in a list can be read. */
export const isReadable = (listed: ListedOperation): listed is Operation => !("problem" in listed)

/** What is known of an operation whose row reads, and of which something else cannot be read. */
export const unreadableFor = (
  { createdAt, id, kind, status, tenantId }: Operation,
  defect: unknown
): UnreadableOperation => ({
  id,
  tenantId,
  kind,
  status,
  createdAt,
  problem: defect instanceof Error ? defect.message : String(defect)
})

/** Tells operators of an operation that cannot be read (`operation.unreadable`). */
export const logUnreadableOperation = ({ id, problem, tenantId }: UnreadableOperation): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logError("operation.unreadable"), { operation: id, tenant: tenantId, problem })
