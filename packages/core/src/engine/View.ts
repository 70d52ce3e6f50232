import type { DepositAddress } from "../address/DepositAddress.ts"
import type { IssuingAccount } from "../address/IssuingAccount.ts"
import type { KeyName, KeyOwner } from "../address/KeyClaim.ts"
import type { KeyFamily } from "../address/KeyFamily.ts"
import type { Xpub } from "../address/Xpub.ts"
import type { Deposit, DepositIdentity } from "../deposit/Deposit.ts"
import type { WebhookEndpoint } from "../event/WebhookEndpoint.ts"
import type { IdempotencyRecord } from "../idempotency/IdempotencyRecord.ts"
import type { Account } from "../ledger/Account.ts"
import type { Balance } from "../ledger/Leg.ts"
import type { Network } from "../money/Network.ts"
import type { Operation } from "../operation/Operation.ts"
import type { SignatureNonce } from "../signature/SignatureNonce.ts"
import type { SigningKey } from "../signature/SigningKey.ts"
import type { ApiKey } from "../tenant/ApiKey.ts"
import type { Tenant, TenantId } from "../tenant/Tenant.ts"
import type { RecordKind, Records } from "./Records.ts"
import type { Timestamp } from "./Timestamp.ts"

/** Who owns a live address: the tenant, and the record itself where it is the view's own tenant. */
export interface LiveAddress {
  readonly owner: TenantId
  readonly record: DepositAddress | undefined
}

/**
 * What a decider sees: one tenant's state as its command declared it (`Command.reads`), with the changes of earlier
 * commands of the same batch laid over it. Asking for something that was not declared is a bug and throws.
 */
export interface View {
  /** The moment of the batch; never earlier than the tenant's last. */
  readonly now: Timestamp
  readonly tenant: Tenant
  /** A new UUIDv7. */
  readonly newId: () => string
  /** Takes the next `change_seq` of the tenant. A number that is not used is given back. */
  readonly nextChangeSeq: () => number
  /** Takes the next event id of the tenant. A number that is not used is given back. */
  readonly nextEventId: () => number
  readonly balance: (account: Account, currency: string) => Balance
  readonly idempotencyRecord: (key: string) => IdempotencyRecord | undefined
  readonly operation: (id: string) => Operation | undefined
  readonly address: (id: string) => DepositAddress | undefined
  readonly liveAddress: (network: Network, address: string) => LiveAddress | undefined
  /** Whose a key is among all tenants, undefined where it is nobody's. */
  readonly keyOwner: (key: KeyName) => KeyOwner | undefined
  /** The tenant's own records of an address, on all networks, live and retired, oldest first. */
  readonly ownRecords: (address: string) => ReadonlyArray<DepositAddress>
  /** The tenant's own deposits on an address, on all networks, by `changeSeq`. */
  readonly depositsAt: (address: string) => ReadonlyArray<Deposit>
  readonly xpub: (id: string) => Xpub | undefined
  readonly liveXpub: (network: Network) => Xpub | undefined
  /** The index after the last that a key ever used on a network; 0 where it never did. */
  readonly xpubUse: (network: Network, canonical: string) => number
  readonly issuingAccount: (family: KeyFamily) => IssuingAccount | undefined
  /** The highest `change_seq` of the deposits on an address, 0 where there are none. */
  readonly newestDeposit: (addressId: string) => number
  readonly deposit: (identity: DepositIdentity) => Deposit | undefined
  /** The epoch of a leadership, 0 where nobody ever led. */
  readonly lease: (name: string) => number
  /** The newest block that is known of a network, undefined before its first. */
  readonly height: (network: Network) => number | undefined
  /** Whether operators have switched everybody's chain payouts off on a network. */
  readonly payoutsOff: (network: Network) => boolean
  readonly apiKey: (id: string) => ApiKey | undefined
  readonly endpoint: (id: string) => WebhookEndpoint | undefined
  /** All signing keys of the tenant, revoked or not, oldest first. */
  readonly signingKeys: () => ReadonlyArray<SigningKey>
  readonly nonce: (keyid: string, nonce: string) => SignatureNonce | undefined
  readonly record: <K extends RecordKind>(kind: K, key: string) => Records[K] | undefined
  /** The records of a group, by their keys in ascending order. */
  readonly recordGroup: <K extends RecordKind>(kind: K, group: string) => ReadonlyArray<Records[K]>
}
