import type { OperatorKey } from "@bursar/api/operator/OperatorKey"
import { toIso } from "@bursar/core/base/Timestamp"
import type { ApiKey } from "@bursar/core/access/ApiKey"
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
