import { defineRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** What kind of secret is kept sealed: a tenant's seed, an imported private key, or the pair that keys are wrapped for. */
export const sealedKinds = ["SEED", "IMPORTED", "WRAPPING"] as const

/** A secret as it is stored: only the vault can open it. */
export interface SealedKey {
  readonly tenantId: TenantId
  readonly id: string
  readonly kind: (typeof sealedKinds)[number]
  /** Encrypted under a key of its own, which is encrypted under a master key. */
  readonly sealed: string
  readonly createdAt: Timestamp
}

/** Secrets by their ids: each is stored once. */
export const SealedKey = defineRecord<SealedKey>({
  name: "SealedKey",
  key: ({ id }) => id,
  traits: { insertOnly: true }
})
