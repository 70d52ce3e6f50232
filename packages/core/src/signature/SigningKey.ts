import type { Timestamp } from "../engine/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** A public key with which the requests of one API key may be signed. One key may be bound to several API keys. */
export interface SigningKey {
  readonly tenantId: TenantId
  /** The API key that it is bound to. */
  readonly apiKeyId: string
  /** The RFC 7638 thumbprint of the public key, by which signatures name it. */
  readonly keyid: string
  /** The 32 bytes of the Ed25519 public key, base64url. */
  readonly publicKey: string
  readonly createdAt: Timestamp
  readonly revokedAt: Timestamp | null
}

/** How many keys of one API key may be active: the old and the new one while a partner rotates. */
export const activeSigningKeysMax = 2
