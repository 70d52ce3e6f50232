import { rulingOf } from "@bursar/core/grant/Ruling"
import type { Operation } from "@bursar/core/operation/Operation"
import { askLeaving } from "@bursar/core/payout/mayPayoutLeave"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { Send } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/** Why one of some payouts may not leave now; undefined where all may. */
export const objectionTo = Effect.fnUntraced(function* (
  send: Send,
  tenantId: TenantId,
  operations: ReadonlyArray<Operation>
) {
  if (operations.length === 0) return undefined
  const objections = yield* submitSend(send, tenantId, askLeaving(operations, send.traits, yield* rulingOf(tenantId)))
  return objections?.values().next().value
})
