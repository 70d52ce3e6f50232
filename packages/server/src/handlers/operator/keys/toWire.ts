import type { OperatorKey } from "@bursar/api/operator/OperatorKey"
import { toIso } from "@bursar/core/engine/Timestamp"
import type { ApiKey } from "@bursar/core/tenant/ApiKey"
import { isoOrNull } from "../../../wire/moment.ts"

/** A key as operators see it: never the key itself, nor its hash. */
export const toWire = ({ createdAt, id, label, prefix, revokedAt, scopes }: ApiKey): OperatorKey => ({
  id,
  prefix,
  label,
  scopes,
  created_at: toIso(createdAt),
  revoked_at: isoOrNull(revokedAt)
})
