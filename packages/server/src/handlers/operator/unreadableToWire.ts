import type { OperatorOperationPage } from "@bursar/api/operator/OperatorOperation"
import { toIso } from "@bursar/core/base/Timestamp"
import type { UnreadableOperation } from "@bursar/core/store/UnreadableOperation"

/** An operation that cannot be read, as operators see it in lists. */
export const unreadableToWire = (
  one: UnreadableOperation,
  slug: string
): OperatorOperationPage["unreadable"][number] => ({
  id: one.id,
  tenant_id: one.tenantId,
  tenant: slug,
  kind: one.kind,
  status: one.status,
  created_at: toIso(one.createdAt),
  problem: one.problem
})
