import { Exit, Result } from "effect"
import type { Backfill, DepositAddress } from "../address/DepositAddress.ts"
import type { ImportedKey, SealedKey } from "../address/ImportedKey.ts"
import type { IssuingAccount } from "../address/IssuingAccount.ts"
import type { KeyClaim, KeyHolder, KeyName, KeyOwner } from "../address/KeyClaim.ts"
import type { KeyFamily } from "../address/KeyFamily.ts"
import type { Xpub } from "../address/Xpub.ts"
import type { Deposit, DepositIdentity } from "../deposit/Deposit.ts"
import type { Event } from "../event/Event.ts"
import type { WebhookEndpoint } from "../event/WebhookEndpoint.ts"
import type { IdempotencyRecord } from "../idempotency/IdempotencyRecord.ts"
import type { Account } from "../ledger/Account.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import { post } from "../ledger/post.ts"
import type { Network } from "../money/Network.ts"
import type { Operation } from "../operation/Operation.ts"
import type { SignatureNonce } from "../signature/SignatureNonce.ts"
import type { SigningKey } from "../signature/SigningKey.ts"
import type { ApiKey } from "../tenant/ApiKey.ts"
import type { Change } from "./Change.ts"
import type { Command } from "./Command.ts"
import { countChanges } from "./countChanges.ts"
import { addressKey, balanceKey, depositKey, nonceKey, type ReadSet, xpubUseKey } from "./Read.ts"
import { Overlay, RecordOverlay } from "./Overlay.ts"
import type { RecordMaps } from "./Records.ts"
import type { Refusal } from "./Refusal.ts"
import type { Timestamp } from "./Timestamp.ts"
import type { LiveAddress, View } from "./View.ts"
import type { JobEntry, DirectoryEntry, Head, WriteSet } from "./WriteSet.ts"

/** What an adapter found of a read-set. What is not in a map is not there. */
export interface Loaded {
  readonly head: Head
  readonly balances: ReadonlyMap<string, Balance>
  readonly idempotencyRecords: ReadonlyMap<string, IdempotencyRecord>
  readonly operations: ReadonlyMap<string, Operation>
  readonly addresses: ReadonlyMap<string, DepositAddress>
  readonly liveAddresses: ReadonlyMap<string, LiveAddress>
  readonly keyOwners: ReadonlyMap<KeyName, KeyOwner>
  /** What is there of the addresses that were asked for, by address. */
  readonly histories: ReadonlyMap<string, AddressHistory>
  readonly xpubs: ReadonlyMap<string, Xpub>
  readonly liveXpubs: ReadonlyMap<Network, Xpub>
  readonly xpubUses: ReadonlyMap<string, number>
  readonly issuingAccounts: ReadonlyMap<KeyFamily, IssuingAccount>
  readonly newestDeposits: ReadonlyMap<string, number>
  readonly deposits: ReadonlyMap<string, Deposit>
  readonly leases: ReadonlyMap<string, number>
  readonly heights: ReadonlyMap<Network, number>
  readonly payoutsOff: ReadonlyMap<Network, boolean>
  readonly apiKeys: ReadonlyMap<string, ApiKey>
  readonly endpoints: ReadonlyMap<string, WebhookEndpoint>
  /** Oldest first; empty where they were not asked for. */
  readonly signingKeys: ReadonlyArray<SigningKey>
  /** By `nonceKey`. */
  readonly nonces: ReadonlyMap<string, SignatureNonce>
  /** By kind, then by key: those that were asked for, and all of the groups that were. */
  readonly records: RecordMaps
}

/** The tenant's own records of one address, and what has arrived on them, on all networks. */
export interface AddressHistory {
  readonly records: ReadonlyArray<DepositAddress>
  readonly deposits: ReadonlyArray<Deposit>
}

/** What a batch takes from outside: the present moment and a source of UUIDv7. */
export interface CommitContext {
  readonly now: Timestamp
  readonly newId: () => string
}

/** The outcome of a batch: one exit per command, in order, and what to write. A defect is a bug of that one command. */
export interface BatchOutcome {
  readonly replies: ReadonlyArray<Exit.Exit<unknown, Refusal>>
  readonly writes: WriteSet
}

/** A signing key is one record per API key that it is bound to. */
const bindingOf = ({ apiKeyId, keyid }: SigningKey): string => `${apiKeyId}|${keyid}`

/** The state of one batch while its commands run in order. */
class Batch {
  readonly now: Timestamp
  readonly newId: () => string
  head: Head
  tenantChanged = false
  readonly balances: Overlay<string, Balance>
  readonly idempotencyRecords: Overlay<string, IdempotencyRecord>
  readonly operations: Overlay<string, Operation>
  readonly addresses: Overlay<string, DepositAddress>
  readonly liveAddresses: Overlay<string, LiveAddress | null>
  readonly keyOwners: Overlay<KeyName, KeyOwner>
  readonly histories: Overlay<string, AddressHistory>
  readonly keyClaims = new Map<string, KeyClaim>()
  readonly keysReleasedBy = new Set<string>()
  readonly xpubs: Overlay<string, Xpub>
  readonly liveXpubs: Overlay<Network, Xpub | null>
  readonly xpubUses: Overlay<string, number>
  readonly issuingAccounts: Overlay<KeyFamily, IssuingAccount>
  readonly newestDeposits: Overlay<string, number>
  readonly deposits: Overlay<string, Deposit>
  readonly leases: Overlay<string, number>
  readonly heights: Overlay<Network, number>
  readonly payoutsOff: Overlay<Network, boolean>
  readonly apiKeys: Overlay<string, ApiKey>
  readonly endpoints: Overlay<string, WebhookEndpoint>
  readonly signingKeys: Overlay<"all", ReadonlyArray<SigningKey>>
  readonly putSigningKeys = new Map<string, SigningKey>()
  readonly nonces: Overlay<string, SignatureNonce>
  readonly records: RecordOverlay
  readonly jobs = new Map<string, JobEntry>()
  readonly legs: Array<PostedLeg> = []
  readonly events: Array<Event> = []
  readonly importedKeys: Array<ImportedKey> = []
  readonly sealedKeys: Array<SealedKey> = []
  readonly backfills: Array<Backfill> = []
  readonly directory = new Map<string, DirectoryEntry & { readonly claimed: boolean }>()

  constructor(reads: ReadSet, loaded: Loaded, context: CommitContext) {
    this.head = loaded.head
    this.now = Math.max(context.now, loaded.head.lastAt)
    this.newId = context.newId
    this.balances = new Overlay("balance", reads.balances, loaded.balances)
    this.idempotencyRecords = new Overlay("claim", reads.idempotencyRecords, loaded.idempotencyRecords)
    this.operations = new Overlay("operation", reads.operations, loaded.operations)
    this.addresses = new Overlay("address", reads.addresses, loaded.addresses)
    this.liveAddresses = new Overlay<string, LiveAddress | null>(
      "live address",
      reads.liveAddresses,
      loaded.liveAddresses
    )
    this.keyOwners = new Overlay("key owner", reads.keyOwners, loaded.keyOwners)
    this.histories = new Overlay("history", reads.histories, loaded.histories)
    this.xpubs = new Overlay("xpub", reads.xpubs, loaded.xpubs)
    this.liveXpubs = new Overlay<Network, Xpub | null>("live xpub", reads.liveXpubs, loaded.liveXpubs)
    this.xpubUses = new Overlay("use of an xpub", reads.xpubUses, loaded.xpubUses)
    this.issuingAccounts = new Overlay("issuing account", reads.issuingAccounts, loaded.issuingAccounts)
    this.newestDeposits = new Overlay("newest arrival", reads.newestDeposits, loaded.newestDeposits)
    this.deposits = new Overlay("deposit", reads.deposits, loaded.deposits)
    this.leases = new Overlay("lease", reads.leases, loaded.leases)
    this.heights = new Overlay("height", reads.heights, loaded.heights)
    this.payoutsOff = new Overlay("switch of payouts", reads.payoutsOff, loaded.payoutsOff)
    this.apiKeys = new Overlay("API key", reads.apiKeys, loaded.apiKeys)
    this.endpoints = new Overlay("endpoint", reads.endpoints, loaded.endpoints)
    this.signingKeys = new Overlay(
      "signing keys",
      new Set<"all">(reads.signingKeys ? ["all"] : []),
      new Map([["all", loaded.signingKeys]])
    )
    this.nonces = new Overlay("nonce", reads.nonces, loaded.nonces)
    this.records = new RecordOverlay(reads, loaded.records)
  }

  readonly balance = (account: Account, currency: string): Balance =>
    this.balances.get(balanceKey(account, currency)) ?? { account, currency, units: 0n, version: 0 }

  private ownRecords(address: string): ReadonlyArray<DepositAddress> {
    const loaded = this.histories.get(address)?.records ?? []
    const written = this.addresses.values().filter((record) => record.address === address)
    return [...new Map([...loaded, ...written].map((record) => [record.id, record])).values()]
  }

  private depositsAt(address: string): ReadonlyArray<Deposit> {
    const loaded = this.histories.get(address)?.deposits ?? []
    const written = this.deposits.values().filter((deposit) => deposit.address === address)
    return [...new Map([...loaded, ...written].map((deposit) => [deposit.id, deposit])).values()].toSorted(
      (one, other) => one.changeSeq - other.changeSeq
    )
  }

  /** A claim stands over an earlier one of the same tenant unless the service held the key by then. */
  private idempotencyKey(key: KeyName, holder: KeyHolder, by: string): void {
    const before = this.keyOwners.peek(key)
    if (before === undefined || before.holder === "TENANT") {
      const record = holder === "SERVICE" ? this.addresses.peek(by) : undefined
      this.keyOwners.set(key, { owner: this.head.tenant.id, holder, record })
    }
    this.keyClaims.set(`${key}|${by}`, { key, holder, by })
  }

  private releaseKeys(by: string): void {
    this.keysReleasedBy.add(by)
    for (const [place, idempotencyRecord] of this.keyClaims) {
      if (idempotencyRecord.by === by && idempotencyRecord.holder === "TENANT") this.keyClaims.delete(place)
    }
  }

  /** The view of the next command, with counters of its own: what counts is what its changes use. */
  view(): View {
    const taken = { changeSeq: this.head.changeSeq, eventId: this.head.eventId }
    return {
      now: this.now,
      tenant: this.head.tenant,
      newId: this.newId,
      nextChangeSeq: () => ++taken.changeSeq,
      nextEventId: () => ++taken.eventId,
      balance: this.balance,
      idempotencyRecord: (key) => this.idempotencyRecords.get(key),
      operation: (id) => this.operations.get(id),
      address: (id) => this.addresses.get(id),
      liveAddress: (network, address) => this.liveAddresses.get(addressKey(network, address)) ?? undefined,
      keyOwner: (key) => this.keyOwners.get(key),
      ownRecords: (address) => this.ownRecords(address),
      depositsAt: (address) => this.depositsAt(address),
      xpub: (id) => this.xpubs.get(id),
      liveXpub: (network) => this.liveXpubs.get(network) ?? undefined,
      xpubUse: (network, canonical) => this.xpubUses.get(xpubUseKey(network, canonical)) ?? 0,
      issuingAccount: (family) => this.issuingAccounts.get(family),
      newestDeposit: (addressId) => this.newestDeposits.get(addressId) ?? 0,
      deposit: (identity: DepositIdentity) => this.deposits.get(depositKey(identity)),
      lease: (name) => this.leases.get(name) ?? 0,
      height: (network) => this.heights.get(network),
      payoutsOff: (network) => this.payoutsOff.get(network) ?? false,
      apiKey: (id) => this.apiKeys.get(id),
      endpoint: (id) => this.endpoints.get(id),
      signingKeys: () => [
        ...new Map(
          [...(this.signingKeys.get("all") ?? []), ...this.putSigningKeys.values()].map((key) => [bindingOf(key), key])
        ).values()
      ],
      nonce: (keyid, nonce) => this.nonces.get(nonceKey(keyid, nonce)),
      record: (kind, key) => this.records.get(kind, key),
      recordGroup: (kind, group) => this.records.group(kind, group)
    }
  }

  /** Applies a command's changes. Counters and postings are checked first, so that a bug in them leaves the batch as it was. */
  apply(changes: ReadonlyArray<Change>): void {
    const counted = countChanges(changes, this.head)
    const legs: Array<PostedLeg> = []
    const balances = new Map<string, Balance>()
    let postingSeq = this.head.postingSeq
    for (const change of changes) {
      if (change._tag !== "Posted") continue
      postingSeq += 1
      const posted = post(
        change.legs,
        (account, currency) => balances.get(balanceKey(account, currency)) ?? this.balance(account, currency),
        {
          operationId: change.operationId,
          postingSeq,
          postedAt: this.now,
          mayOverdraw: change.mayOverdraw === true,
          happened: change.happened === true
        }
      )
      for (const { account, balance, currency, version } of posted) {
        balances.set(balanceKey(account, currency), { account, currency, units: balance, version })
      }
      legs.push(...posted)
    }
    this.legs.push(...legs)
    for (const [key, balance] of balances) this.balances.set(key, balance)
    for (const change of changes) this.put(change)
    this.head = { ...this.head, ...counted, postingSeq, lastAt: this.now }
  }

  private put(change: Change): void {
    switch (change._tag) {
      case "Posted":
        return
      case "OperationPut":
        return this.operations.set(change.operation.id, change.operation)
      case "DepositPut":
        // a deposit may be put again without a move of its own
        this.newestDeposits.set(
          change.deposit.addressId,
          Math.max(change.deposit.changeSeq, this.newestDeposits.peek(change.deposit.addressId) ?? 0)
        )
        return this.deposits.set(depositKey(change.deposit), change.deposit)
      case "AddressPut": {
        const { address } = change
        this.addresses.set(address.id, address)
        if (address.retiredAt !== null) return
        return this.liveAddresses.set(addressKey(address.network, address.address), {
          owner: address.tenantId,
          record: address
        })
      }
      case "AddressClaimed":
      case "AddressFreed": {
        const { address, addressId, network } = change
        const claimed = change._tag === "AddressClaimed"
        const wallet = change._tag === "AddressClaimed" && change.wallet === true
        this.directory.set(addressKey(network, address), {
          network,
          address,
          addressId,
          ...(wallet && { wallet }),
          claimed
        })
        if (!claimed) this.releaseKeys(addressId)
        if (!claimed) this.liveAddresses.set(addressKey(network, address), null)
        if (wallet)
          this.liveAddresses.set(addressKey(network, address), { owner: this.head.tenant.id, record: undefined })
        return
      }
      case "KeysClaimed":
        for (const key of change.keys) this.idempotencyKey(key, change.holder, change.by)
        return
      case "XpubPut": {
        const { xpub } = change
        this.xpubs.set(xpub.id, xpub)
        this.liveXpubs.set(xpub.network, xpub.retiredAt === null ? xpub : null)
        return this.xpubUses.set(xpubUseKey(xpub.network, xpub.canonical), xpub.nextIndex)
      }
      case "IssuingAccountPut":
        return this.issuingAccounts.set(change.account.family, change.account)
      case "KeyImported":
        this.importedKeys.push(change.key)
        this.sealedKeys.push(change.sealed)
        return
      case "BackfillQueued":
        this.backfills.push(change.backfill)
        return
      case "EventEmitted":
        this.events.push(change.event)
        return
      case "IdempotencyRecorded":
        return this.idempotencyRecords.set(change.idempotencyRecord.key, change.idempotencyRecord)
      case "ApiKeyPut":
        return this.apiKeys.set(change.apiKey.id, change.apiKey)
      case "EndpointPut":
        return this.endpoints.set(change.endpoint.id, change.endpoint)
      case "SigningKeyPut":
        this.putSigningKeys.set(bindingOf(change.signingKey), change.signingKey)
        return
      case "NonceUsed":
        return this.nonces.set(nonceKey(change.nonce.keyid, change.nonce.nonce), change.nonce)
      case "RecordPut":
        return this.records.put(change.kind, change.record)
      case "Scheduled": {
        const { dueAt, key, queue } = change
        this.jobs.set(`${queue}|${key}`, { queue, key, dueAt })
        return
      }
      case "TenantPut":
        this.head = { ...this.head, tenant: change.tenant }
        this.tenantChanged = true
        return
    }
  }

  writes(): WriteSet {
    const directory = [...this.directory.values()]
    return {
      tenantId: this.head.tenant.id,
      head: this.head,
      tenant: this.tenantChanged ? this.head.tenant : undefined,
      operations: this.operations.values(),
      legs: this.legs,
      balances: this.balances.values(),
      deposits: this.deposits.values(),
      addresses: this.addresses.values(),
      xpubs: this.xpubs.values(),
      issuingAccounts: this.issuingAccounts.values(),
      importedKeys: this.importedKeys,
      sealedKeys: this.sealedKeys,
      freed: directory.filter((entry) => !entry.claimed),
      claimed: directory.filter((entry) => entry.claimed),
      keysReleasedBy: [...this.keysReleasedBy],
      keyClaims: [...this.keyClaims.values()],
      backfills: this.backfills,
      events: this.events,
      idempotencyRecords: this.idempotencyRecords.values(),
      apiKeys: this.apiKeys.values(),
      endpoints: this.endpoints.values(),
      signingKeys: [...this.putSigningKeys.values()],
      nonces: this.nonces.values(),
      records: this.records.writes(),
      jobs: [...this.jobs.values()]
    }
  }
}

/**
 * Runs commands in order over what was loaded of one tenant, each seeing the changes of those before it. A refusal
 * refuses one command, a bug in a decider fails one command; the others of the batch go on. Pure.
 */
export const runBatch = (
  commands: ReadonlyArray<Command<unknown>>,
  reads: ReadSet,
  loaded: Loaded,
  context: CommitContext
): BatchOutcome => {
  const batch = new Batch(reads, loaded, context)
  const replies = commands.map((command): Exit.Exit<unknown, Refusal> => {
    try {
      const decided = command.decide(batch.view())
      if (Result.isFailure(decided)) return Exit.fail(decided.failure)
      batch.apply(decided.success.changes)
      return Exit.succeed(decided.success.reply)
    } catch (defect) {
      return Exit.die(defect)
    }
  })
  return { replies, writes: batch.writes() }
}
