import { Operation } from "@bursar/core/operation/Operation"
import { assignedOf, standingArrivals } from "@bursar/core/operation/ownArrivals"
import { tellAssigned } from "@bursar/core/operation/tellAssigned"
import { tellShort } from "@bursar/core/operation/tellShort"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordSigned, type RecordSigned } from "@bursar/core/transaction/recordSigned"
import { Effect } from "effect"
import type { Send } from "./Send.ts"
import { submitSend } from "./submitSend.ts"

/**
 * Stores a signature, and takes back what was booked as from outside of what its transaction brought: after a restore the chain may have been read before
 * the signer was asked. Operators are told of what they have assigned of it, which stays, and of what suspense was short of. Null as with `submitSend`.
 */
export const storeSigned = Effect.fn("send.storeSigned")(function* (
  send: Send,
  tenantId: TenantId,
  signed: Omit<RecordSigned, "booked">
) {
  const { hash, transaction } = signed
  const first = yield* submitSend(send, tenantId, recordSigned(signed))
  if (first !== null) return first
  // it may be stale because of what was booked, whose balances the command has to read: of what was just signed for the first time there is nothing
  const queries = yield* Queries
  const booked = yield* queries.records(tenantId, Operation, hash)
  if (booked.length === 0) return null
  const stored = yield* submitSend(send, tenantId, recordSigned({ ...signed, booked }))
  // read once it is stored, as one may have been assigned meanwhile; what is stored already is not looked up again, so this is told once
  if (stored !== null) {
    const brought = yield* queries.records(tenantId, Operation, hash)
    yield* tellAssigned(tenantId, assignedOf(standingArrivals(brought, transaction.network)))
    yield* tellShort(brought)
  }
  return stored
})
