import { digestParam, grantParam } from "@bursar/core/checker/destinationLog"
import { Destination } from "@bursar/core/destination/Destination"
import { destinationDigest } from "@bursar/core/destination/destinationDigest"
import type { Grant } from "@bursar/core/grant/Grant"
import { readGrant } from "@bursar/core/grant/GrantDocument"
import { grantName } from "@bursar/core/granting/grantEffect"
import type { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect, Result } from "effect"
import { orUnavailable } from "../../../refusals.ts"

/** What the log of operators' actions keeps of a grant that names or revokes a destination, for the checker; nothing of other grants. */
export const destinationNotes = Effect.fnUntraced(function* (
  queries: Queries["Service"],
  tenantId: TenantId | null,
  grant: Pick<Grant, "document">
) {
  const read = readGrant(grant.document)
  if (tenantId === null || Result.isFailure(read) || read.success.kind !== "destination") return {}
  const { id, state } = read.success.values
  const notes = { tenant_id: tenantId, destination_id: id }
  if (state === "REVOKED") return notes
  const found = yield* orUnavailable(queries.record(tenantId, Destination, id))
  // what was verified before the grant keeps the record of that
  if (found === undefined || found.verifiedBy !== grantName(read.success)) return {}
  return { ...notes, [digestParam]: yield* destinationDigest(found), [grantParam]: found.verifiedBy }
})
