import type { Timestamp } from "../engine/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { defineRecord } from "../engine/Records.ts"

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

/** The private key of an address that the tenant has handed over; the key itself is kept sealed under the same id. */
export interface ImportedKey {
  readonly id: string
  readonly tenantId: TenantId
  readonly addressId: string
  readonly network: Network
  readonly address: string
  /** How it was wrapped when it came. */
  readonly algorithm: string
  /** Where the tenant had it before, in the tenant's words. */
  readonly sourceSystem: string | null
  readonly sourceReference: string | null
  readonly createdAt: Timestamp
}

/** Secrets by their ids: each is stored once. */
export const SealedKey = defineRecord<SealedKey>({
  name: "SealedKey",
  key: ({ id }) => id,
  traits: { insertOnly: true }
})

/** Imported keys by their ids: each is stored once. */
export const ImportedKey = defineRecord<ImportedKey>({
  name: "ImportedKey",
  key: ({ id }) => id,
  traits: { insertOnly: true }
})
