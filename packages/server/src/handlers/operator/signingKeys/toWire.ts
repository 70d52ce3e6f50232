import type { OperatorSigningKey } from "@bursar/api/operator/OperatorSigningKey"
import { toIso } from "@bursar/core/base/Timestamp"
import type { SigningKey } from "@bursar/core/signature/SigningKey"
import { isoOrNull } from "../../../wire/moment.ts"

/** A signing key as operators see it. */
export const toWire = ({ apiKeyId, createdAt, keyid, publicKey, revokedAt }: SigningKey): OperatorSigningKey => ({
  keyid,
  api_key_id: apiKeyId,
  public_jwk: { kty: "OKP", crv: "Ed25519", x: publicKey },
  created_at: toIso(createdAt),
  revoked_at: isoOrNull(revokedAt)
})
