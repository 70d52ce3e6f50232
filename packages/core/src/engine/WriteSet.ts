import type { Backfill, DepositAddress } from "../address/DepositAddress.ts"
import type { KeyClaim } from "../address/KeyClaim.ts"
import type { ImportedKey, SealedKey } from "../address/ImportedKey.ts"
import type { IssuingAccount } from "../address/IssuingAccount.ts"
import type { Xpub } from "../address/Xpub.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { Event } from "../event/Event.ts"
import type { WebhookEndpoint } from "../event/WebhookEndpoint.ts"
import type { IdempotencyRecord } from "../idempotency/IdempotencyRecord.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import type { Network } from "../money/Network.ts"
import type { Operation } from "../operation/Operation.ts"
import type { SignatureNonce } from "../signature/SignatureNonce.ts"
import type { SigningKey } from "../signature/SigningKey.ts"
import type { ApiKey } from "../tenant/ApiKey.ts"
import type { Tenant, TenantId } from "../tenant/Tenant.ts"
import type { RecordKind, Records } from "./Records.ts"
import type { Timestamp } from "./Timestamp.ts"

/** The row whose lock serialises a tenant: its counters and the moment of its last commit. */
export interface Head {
  readonly tenant: Tenant
  readonly changeSeq: number
  readonly eventId: number
  readonly postingSeq: number
  readonly lastAt: Timestamp
}

/** A head as it is when a tenant is made. */
export const firstHead = (tenant: Tenant): Head => ({
  tenant,
  changeSeq: 0,
  eventId: 0,
  postingSeq: 0,
  lastAt: tenant.createdAt
})

/** An address given to this tenant in the directory of all tenants, or given free. */
export interface DirectoryEntry {
  readonly network: Network
  readonly address: string
  readonly addressId: string
  /** It is the address of a wallet of the service. */
  readonly wallet?: true
}

/** Records to put, by kind. */
export type WrittenRecords = { readonly [K in RecordKind]?: ReadonlyArray<Records[K]> }

/** The last word of a batch on something of a process's agenda; null takes it off. */
export interface JobEntry {
  readonly queue: string
  readonly key: string
  readonly dueAt: Timestamp | null
}

/**
 * All that a batch writes, by kind, each record once in its last form. Events, legs, claims and nonces are new rows; the
 * others replace the row of the same id.
 */
export interface WriteSet {
  readonly tenantId: TenantId
  readonly head: Head
  /** Set only where the tenant's own record changed. */
  readonly tenant: Tenant | undefined
  readonly operations: ReadonlyArray<Operation>
  readonly legs: ReadonlyArray<PostedLeg>
  readonly balances: ReadonlyArray<Balance>
  readonly deposits: ReadonlyArray<Deposit>
  readonly addresses: ReadonlyArray<DepositAddress>
  readonly xpubs: ReadonlyArray<Xpub>
  readonly issuingAccounts: ReadonlyArray<IssuingAccount>
  /** New rows, each with the secret that is stored under its id. */
  readonly importedKeys: ReadonlyArray<ImportedKey>
  readonly sealedKeys: ReadonlyArray<SealedKey>
  readonly freed: ReadonlyArray<DirectoryEntry>
  readonly claimed: ReadonlyArray<DirectoryEntry>
  /** The ids of addresses whose claims on keys end, before those of `keyClaims` begin. */
  readonly keysReleasedBy: ReadonlyArray<string>
  readonly keyClaims: ReadonlyArray<KeyClaim>
  readonly backfills: ReadonlyArray<Backfill>
  readonly events: ReadonlyArray<Event>
  readonly idempotencyRecords: ReadonlyArray<IdempotencyRecord>
  readonly apiKeys: ReadonlyArray<ApiKey>
  readonly endpoints: ReadonlyArray<WebhookEndpoint>
  readonly signingKeys: ReadonlyArray<SigningKey>
  /** With them, those of the tenant whose time to be forgotten has come may be deleted. */
  readonly nonces: ReadonlyArray<SignatureNonce>
  readonly records: WrittenRecords
  readonly jobs: ReadonlyArray<JobEntry>
}
