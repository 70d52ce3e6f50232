import type { Backfill } from "@bursar/core/address/DepositAddress"
import type { KeyHolder, KeyName } from "@bursar/core/engine/Directory"
import type { KnownCurrency } from "@bursar/core/port/KnownCurrencies"
import type { KnownNetwork } from "@bursar/core/port/KnownNetworks"
import type { HeldArrivalEntry } from "@bursar/core/port/HeldArrivals"
import type { SolvencyLeaf, SolvencyNode, StoredSnapshot } from "@bursar/core/solvency/SolvencyStore"
import type { NotedCall } from "@bursar/core/port/ProviderCalls"
import type { BlockOrder, QuarantineEntry } from "@bursar/core/port/Quarantine"
import type { OperatorPass } from "@bursar/core/port/OperatorSessions"
import type { AuditRecord } from "@bursar/core/audit/AuditRecord"
import type { AuditSeal } from "@bursar/core/audit/AuditSeal"
import type { Job } from "@bursar/core/engine/Job"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import type { Head } from "@bursar/core/engine/WriteSet"
import type { Event } from "@bursar/core/event/Event"
import type { Balance, PostedLeg } from "@bursar/core/ledger/Leg"
import type { Network } from "@bursar/core/money/Network"
import type { BlockRef, NodeRecord } from "@bursar/core/port/Chain"
import type { AttemptRecord } from "@bursar/core/port/Deliveries"
import type { OneNodeCredit } from "@bursar/core/incoming/oneNodeAllowance"
import type { BackfillJob } from "@bursar/core/store/WatchState"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Context, Layer, Semaphore } from "effect"
import { fleetTenant } from "@bursar/core/grant/Grant"
import { firstHead } from "@bursar/core/engine/WriteSet"

/** What one tenant owns. */
export interface TenantRecords {
  head: Head
  /** In the order in which they were posted. */
  readonly legs: Array<PostedLeg>
  /** By `balanceKey`. */
  readonly balances: Map<string, Balance>
  /** In id order; the event of id n stands at n - 1. */
  readonly events: Array<Event>
  /** By the name of their kind, then by the text of their key: see `recordsOf`. */
  readonly records: Map<string, Map<string, unknown>>
  /** How far delivery has come, by endpoint. */
  readonly deliveries: Map<string, EndpointProgress>
}

/** How far the delivery of events to one endpoint has come. */
export interface EndpointProgress {
  /** Events up to this id have had their first attempt, or are not wanted. */
  upTo: number
  lease: { readonly token: string; readonly until: number } | null
  /** When it was served last, counted over all endpoints; 0 where it never was. */
  turn: number
  failingSince: number | null
  /** Attempts still to be made, by event id. */
  readonly due: Map<number, { readonly attempt: number; readonly at: number }>
  /** Oldest first. */
  readonly attempts: Array<AttemptRecord>
}

/** What watchers remember of one network. */
export interface NetworkRecords {
  cursor: BlockRef | undefined
  /** By number, ascending. */
  blocks: ReadonlyArray<BlockRef>
  latest: number | null
  problem: string | null
  notice: string | null
  nodes: ReadonlyArray<NodeRecord>
  updatedAt: number
}

/** Snapshots of what is owed and there; leaves and nodes by the id of theirs, nodes by their places too. */
export interface SolvencyRecords {
  readonly snapshots: Map<string, StoredSnapshot>
  readonly leaves: Map<string, Array<SolvencyLeaf>>
  readonly nodes: Map<string, Map<string, SolvencyNode>>
}

/** Everything that is stored. A change is made in one go, without an effect in between: that makes it a transaction. */
export interface State {
  readonly tenants: Map<TenantId, TenantRecords>
  readonly slugs: Map<string, TenantId>
  /** Who owns a live address among all tenants, by `addressKey`. */
  readonly directory: Map<string, { readonly tenantId: TenantId; readonly addressId: string; readonly wallet?: true }>
  /** Whose the key behind addresses is, by its name. */
  readonly keyOwners: Map<KeyName, { readonly tenantId: TenantId; readonly holder: KeyHolder; readonly by: string }>
  /** The addresses that need a key which their tenant holds. */
  readonly keyUses: Map<KeyName, Set<string>>
  /** Whose a key of a record is that is unique among all tenants, by `uniqueKey`. */
  readonly uniqueKeys: Map<string, TenantId>
  readonly networks: Map<Network, NetworkRecords>
  /** The most blocks that each network was behind, by minute. */
  readonly networkLags: Map<Network, Map<number, number>>
  /** By network, minute and currency. */
  readonly oneNodeCredits: Map<string, OneNodeCredit & { readonly network: Network }>
  readonly backfills: Map<string, BackfillJob>
  /** The epoch of each leadership. */
  readonly epochs: Map<string, number>
  /** Whoever holds the permit of a provider's key calls with it; with the number of its last call. */
  readonly callTurns: Map<string, { readonly free: Semaphore.Semaphore; last: bigint }>
  /** In the order in which they were first made. */
  providerCalls: Array<NotedCall>
  /** How often an endpoint's turn to be served has come. */
  deliveryTurns: number
  /** Whoever holds the permit of a name leads it. */
  readonly leaders: Map<string, Semaphore.Semaphore>
  /** By queue, tenant and key. */
  readonly jobs: Map<string, Job>
  /** Requests per subject and second. */
  readonly requests: Map<string, Map<number, number>>
  /** What operators did, oldest first. */
  readonly audit: Array<AuditRecord>
  /** By their numbers. */
  readonly auditSeals: Map<number, AuditSeal>
  readonly knownNetworks: Map<Network, KnownNetwork>
  /** By code. */
  readonly knownCurrencies: Map<string, KnownCurrency>
  /** By network, block and transaction. */
  readonly quarantine: Map<string, QuarantineEntry>
  /** By digest. */
  readonly operatorPasses: Map<string, OperatorPass>
  /** By network, transaction, place in it, and block. */
  readonly heldArrivals: Map<string, HeldArrivalEntry>
  /** By network and number of the block. */
  readonly blockOrders: Map<string, BlockOrder>
  readonly solvency: SolvencyRecords
  /** Whoever holds its permit adds to `audit`. */
  readonly auditLock: Semaphore.Semaphore
}

/** Nothing at all but the place where the chain of the fleet's grants will stand. */
export const emptyState = (): State => ({
  tenants: new Map([[fleetTenant.id, emptyTenant(firstHead(fleetTenant))]]),
  slugs: new Map(),
  directory: new Map(),
  keyOwners: new Map(),
  keyUses: new Map(),
  uniqueKeys: new Map(),
  networks: new Map(),
  networkLags: new Map(),
  oneNodeCredits: new Map(),
  backfills: new Map(),
  epochs: new Map(),
  callTurns: new Map(),
  providerCalls: [],
  deliveryTurns: 0,
  leaders: new Map(),
  jobs: new Map(),
  requests: new Map(),
  audit: [],
  auditSeals: new Map(),
  knownNetworks: new Map(),
  knownCurrencies: new Map(),
  quarantine: new Map(),
  operatorPasses: new Map(),
  heldArrivals: new Map(),
  blockOrders: new Map(),
  solvency: { snapshots: new Map(), leaves: new Map(), nodes: new Map() },
  auditLock: Semaphore.makeUnsafe(1)
})

/** A tenant that owns nothing yet. */
export const emptyTenant = (head: Head): TenantRecords => ({
  head,
  legs: [],
  balances: new Map(),
  events: [],
  records: new Map(),
  deliveries: new Map()
})

/** The records of a kind, by the texts of their keys. */
export const recordsOf = <A, K>({ records }: TenantRecords, { name }: RecordDefinition<A, K>): ReadonlyMap<string, A> =>
  // under a name stand records of that kind alone
  (records.get(name) ?? new Map()) as ReadonlyMap<string, A>

/** The records of a kind, to be changed. */
export const changing = <A, K>(tenant: TenantRecords, of: RecordDefinition<A, K>): Map<string, A> => {
  const known = tenant.records.get(of.name) ?? new Map<string, unknown>()
  tenant.records.set(of.name, known)
  return known as Map<string, A> // see `recordsOf`
}

/** The key under which a key of a record stands that is unique among all tenants. */
export const uniqueKey = (name: string, key: string): string => `${name}|${key}`

/** The tenant that has a record whose key is unique among all tenants; undefined where none has. */
export const holderOf = <A, K>(
  { tenants, uniqueKeys }: State,
  { name }: RecordDefinition<A, K>,
  key: string
): TenantRecords | undefined => {
  const id = uniqueKeys.get(uniqueKey(name, key))
  return id === undefined ? undefined : tenants.get(id)
}

/** A backfill of which nothing has been read. */
export const notStarted = (backfill: Backfill): BackfillJob => ({
  ...backfill,
  nextBlock: null,
  lastBlock: null,
  dueAt: null,
  failures: 0,
  problem: null,
  ended: null
})

/** The store that the adapters of one process share. */
export class Store extends Context.Service<Store, State>()("@bursar/memory/Store") {
  /** An empty store of its own. */
  static readonly layer = Layer.sync(Store, emptyState)
}
