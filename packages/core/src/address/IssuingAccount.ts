import type { Timestamp } from "../base/Timestamp.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { KeyFamily } from "../money/Network.ts"
import { defineRecord } from "../engine/Records.ts"

/** The account of a tenant's seed that addresses of a family of networks are issued from. The vault holds the seed. */
export interface IssuingAccount {
  readonly tenantId: TenantId
  readonly family: KeyFamily
  readonly seedId: string
  /** The public side: an extended public key, on stellar the account's address. */
  readonly accountKey: string
  /** The index that the next issue starts at. It never goes back. */
  readonly nextIndex: number
  readonly createdAt: Timestamp
}

/** The accounts of a tenant, one per family of networks. */
export const IssuingAccount = defineRecord<IssuingAccount, KeyFamily>({
  name: "IssuingAccount",
  key: ({ family }) => family,
  traits: { oncePerCommand: true }
})
