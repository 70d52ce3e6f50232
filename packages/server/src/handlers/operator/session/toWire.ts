import type { Operator } from "@bursar/api/operator/Operator"
import type { OperatorSession } from "@bursar/api/operator/SessionGroup"
import { toIso } from "@bursar/core/base/Timestamp"

/** Who the service takes a caller for. */
export const sessionToWire = ({
  credential,
  expiresAt,
  name,
  role
}: Operator["Service"]): typeof OperatorSession.Type => ({
  name,
  role,
  credential,
  expires_at: expiresAt === null ? null : toIso(expiresAt)
})
