import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { defineRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"

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

/** What tells a signing key from others: it is one record per API key that it is bound to. */
export interface SigningKeyBinding {
  readonly apiKeyId: string
  readonly keyid: string
}

/** The group of all signing keys of a tenant, revoked or not. */
export const allSigningKeys = "all"

/** The signing keys of a tenant by their bindings. */
export const SigningKey = defineRecord<SigningKey, SigningKeyBinding>({
  name: "SigningKey",
  key: ({ apiKeyId, keyid }) => ({ apiKeyId, keyid }),
  text: ({ apiKeyId, keyid }) => `${apiKeyId}|${keyid}`,
  group: () => allSigningKeys
})

/** All signing keys of the tenant, revoked or not, oldest first. Read the group `allSigningKeys`. */
export const signingKeysOf = (view: View): ReadonlyArray<SigningKey> =>
  view.group(SigningKey, allSigningKeys).toSorted((one, other) => one.createdAt - other.createdAt)
