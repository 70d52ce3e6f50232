import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { defineRecord } from "../engine/Records.ts"

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

/** Imported keys by their ids: each is stored once. */
export const ImportedKey = defineRecord<ImportedKey>({
  name: "ImportedKey",
  key: ({ id }) => id,
  traits: { insertOnly: true }
})
