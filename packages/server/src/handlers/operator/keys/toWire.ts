import type { OperatorKey } from "@bursar/api/operator/OperatorKey"
import { toIso } from "@bursar/core/base/Timestamp"
import type { ApiKey } from "@bursar/core/access/ApiKey"
import { isoOrNull } from "../../../wire/moment.ts"

/** A key as operators see it: never the key itself, nor its hash. */
export const toWire = ({ createdAt, expiresAt, id, label, prefix, revokedAt, scopes, seal }: ApiKey): OperatorKey => ({
  id,
  prefix,
  label,
  scopes,
  sealed: seal !== null,
  expires_at: isoOrNull(expiresAt),
  created_at: toIso(createdAt),
  revoked_at: isoOrNull(revokedAt)
})
