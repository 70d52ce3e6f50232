import type { KeyName } from "../address/KeyClaim.ts"
import type { KeyFamily } from "../address/KeyFamily.ts"
import type { DepositIdentity } from "../deposit/Deposit.ts"
import type { Account } from "../ledger/Account.ts"
import type { Network } from "../money/Network.ts"
import type { RecordKind, RecordRead } from "./Records.ts"

/** Something that a decider wants to know. What it did not declare it cannot see. */
export type Read =
  | { readonly _tag: "Balance"; readonly account: Account; readonly currency: string }
  | { readonly _tag: "IdempotencyRecord"; readonly key: string }
  | { readonly _tag: "Operation"; readonly id: string }
  | { readonly _tag: "Address"; readonly id: string }
  | { readonly _tag: "LiveAddress"; readonly network: Network; readonly address: string }
  /** Whose a key is among all tenants. */
  | { readonly _tag: "KeyOwner"; readonly key: KeyName }
  /** The tenant's own records of an address, and the deposits on them, on all networks. */
  | { readonly _tag: "History"; readonly address: string }
  | { readonly _tag: "Xpub"; readonly id: string }
  | { readonly _tag: "LiveXpub"; readonly network: Network }
  /** How far the indexes of a key were ever used on a network, by whichever registration of it. */
  | { readonly _tag: "XpubUse"; readonly network: Network; readonly canonical: string }
  | { readonly _tag: "IssuingAccount"; readonly family: KeyFamily }
  /** The highest \`change_seq\` of the deposits on an address. */
  | { readonly _tag: "NewestDeposit"; readonly addressId: string }
  | ({ readonly _tag: "Deposit" } & DepositIdentity)
  | { readonly _tag: "Lease"; readonly name: string }
  | { readonly _tag: "Height"; readonly network: Network }
  /** Whether operators have switched everybody's chain payouts off on a network. */
  | { readonly _tag: "PayoutsOff"; readonly network: Network }
  | { readonly _tag: "ApiKey"; readonly id: string }
  | { readonly _tag: "Endpoint"; readonly id: string }
  /** All of the tenant's, revoked or not. */
  | { readonly _tag: "SigningKeys" }
  | { readonly _tag: "Nonce"; readonly keyid: string; readonly nonce: string }
  | RecordRead

/** The union of what a batch of commands reads, without repetition, by kind: what an adapter loads in a few statements. */
export interface ReadSet {
  readonly balances: ReadonlyMap<string, { readonly account: Account; readonly currency: string }>
  readonly idempotencyRecords: ReadonlySet<string>
  readonly operations: ReadonlySet<string>
  readonly addresses: ReadonlySet<string>
  readonly liveAddresses: ReadonlyMap<string, { readonly network: Network; readonly address: string }>
  readonly keyOwners: ReadonlySet<KeyName>
  /** Addresses whose own records and deposits are asked for. */
  readonly histories: ReadonlySet<string>
  readonly xpubs: ReadonlySet<string>
  readonly liveXpubs: ReadonlySet<Network>
  readonly xpubUses: ReadonlyMap<string, { readonly network: Network; readonly canonical: string }>
  readonly issuingAccounts: ReadonlySet<KeyFamily>
  readonly newestDeposits: ReadonlySet<string>
  readonly deposits: ReadonlyMap<string, DepositIdentity>
  readonly leases: ReadonlySet<string>
  readonly heights: ReadonlySet<Network>
  readonly payoutsOff: ReadonlySet<Network>
  readonly apiKeys: ReadonlySet<string>
  readonly endpoints: ReadonlySet<string>
  /** Whether the tenant's signing keys are asked for. */
  readonly signingKeys: boolean
  readonly nonces: ReadonlyMap<string, { readonly keyid: string; readonly nonce: string }>
  /** Keys by kind of record. */
  readonly records: ReadonlyMap<RecordKind, ReadonlySet<string>>
  /** Groups by kind of record. */
  readonly recordGroups: ReadonlyMap<RecordKind, ReadonlySet<string>>
}

/** The key under which a balance is loaded. */
export const balanceKey = (account: Account, currency: string): string => `${account}|${currency}`

/** The key under which an address of a network is loaded. */
export const addressKey = (network: Network, address: string): string => `${network}|${address}`

/** The key under which the use of an extended public key is loaded. */
export const xpubUseKey = (network: Network, canonical: string): string => `${network}|${canonical}`

/** The key under which a deposit is loaded. */
export const depositKey = ({ network, transferIndex, txHash }: DepositIdentity): string =>
  `${network}|${txHash}|${transferIndex}`

/** The key under which a nonce of a signing key is loaded. */
export const nonceKey = (keyid: string, nonce: string): string => `${keyid}|${nonce}`

const addTo = <K, V>(sets: Map<K, Set<V>>, key: K, value: V): void => {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([value]))
  else set.add(value)
}

/** Gathers what several commands read. */
export const collectReads = (all: Iterable<ReadonlyArray<Read>>): ReadSet => {
  const set = {
    balances: new Map<string, { readonly account: Account; readonly currency: string }>(),
    idempotencyRecords: new Set<string>(),
    operations: new Set<string>(),
    addresses: new Set<string>(),
    liveAddresses: new Map<string, { readonly network: Network; readonly address: string }>(),
    keyOwners: new Set<KeyName>(),
    histories: new Set<string>(),
    xpubs: new Set<string>(),
    liveXpubs: new Set<Network>(),
    xpubUses: new Map<string, { readonly network: Network; readonly canonical: string }>(),
    issuingAccounts: new Set<KeyFamily>(),
    newestDeposits: new Set<string>(),
    deposits: new Map<string, DepositIdentity>(),
    leases: new Set<string>(),
    heights: new Set<Network>(),
    payoutsOff: new Set<Network>(),
    apiKeys: new Set<string>(),
    endpoints: new Set<string>(),
    signingKeys: false,
    nonces: new Map<string, { readonly keyid: string; readonly nonce: string }>(),
    records: new Map<RecordKind, Set<string>>(),
    recordGroups: new Map<RecordKind, Set<string>>()
  }
  for (const reads of all) {
    for (const read of reads) {
      switch (read._tag) {
        case "Balance":
          set.balances.set(balanceKey(read.account, read.currency), read)
          break
        case "IdempotencyRecord":
          set.idempotencyRecords.add(read.key)
          break
        case "Operation":
          set.operations.add(read.id)
          break
        case "Address":
          set.addresses.add(read.id)
          break
        case "LiveAddress":
          set.liveAddresses.set(addressKey(read.network, read.address), read)
          break
        case "KeyOwner":
          set.keyOwners.add(read.key)
          break
        case "History":
          set.histories.add(read.address)
          break
        case "Xpub":
          set.xpubs.add(read.id)
          break
        case "LiveXpub":
          set.liveXpubs.add(read.network)
          break
        case "XpubUse":
          set.xpubUses.set(xpubUseKey(read.network, read.canonical), read)
          break
        case "IssuingAccount":
          set.issuingAccounts.add(read.family)
          break
        case "NewestDeposit":
          set.newestDeposits.add(read.addressId)
          break
        case "Deposit":
          set.deposits.set(depositKey(read), read)
          break
        case "Lease":
          set.leases.add(read.name)
          break
        case "Height":
          set.heights.add(read.network)
          break
        case "PayoutsOff":
          set.payoutsOff.add(read.network)
          break
        case "ApiKey":
          set.apiKeys.add(read.id)
          break
        case "Endpoint":
          set.endpoints.add(read.id)
          break
        case "SigningKeys":
          set.signingKeys = true
          break
        case "Nonce":
          set.nonces.set(nonceKey(read.keyid, read.nonce), read)
          break
        case "Record":
          addTo(set.records, read.kind, read.key)
          break
        case "RecordGroup":
          addTo(set.recordGroups, read.kind, read.group)
          break
      }
    }
  }
  return set
}
