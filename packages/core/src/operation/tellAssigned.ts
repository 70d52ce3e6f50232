import { Effect } from "effect"
import type { TenantId } from "../tenant/Tenant.ts"
import type { Operation } from "./Operation.ts"

/** Tells operators what they have assigned of what a transaction brought that is of the service's own: it stays, and no new money came. */
export const tellAssigned = (tenantId: TenantId, arrivals: ReadonlyArray<Operation>): Effect.Effect<void> =>
  Effect.forEach(
    arrivals,
    ({ amount, details, id, network, txHash }) =>
      Effect.logError("suspense.assigned_own").pipe(
        Effect.annotateLogs({
          tenant: tenantId,
          network,
          txHash,
          operation: id,
          assignedBy: details.assigned?.operation_id,
          currency: amount.currency,
          units: amount.units.toString()
        })
      ),
    { discard: true }
  )
