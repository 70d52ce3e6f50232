import { Context, type Effect } from "effect"
import type { DepositAddress } from "../address/DepositAddress.ts"
import type { KeyConflict, KeyConflictPlace } from "../address/KeyConflict.ts"
import type { IssuingAccount } from "../address/IssuingAccount.ts"
import type { Xpub } from "../address/Xpub.ts"
import type { Customer } from "../customer/Customer.ts"
import type { Deposit } from "../deposit/Deposit.ts"
import type { RecordDefinition } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Event } from "../event/Event.ts"
import type { WebhookEndpoint } from "../webhook/WebhookEndpoint.ts"
import type { IdempotencyRecord } from "../idempotency/IdempotencyRecord.ts"
import type { Account } from "../ledger/Account.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import type { LegMoment } from "../ledger/LegMoment.ts"
import type { KeyFamily, Network } from "../money/Network.ts"
import type { Amount } from "../money/Amount.ts"
import type { ActsFor, Operation, OperationKind, OperationStatus } from "../operation/Operation.ts"
import type { ListedOperation } from "./UnreadableOperation.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { UnreadableRow } from "../engine/UnreadableRow.ts"
import type { Sweep } from "../sweep/Sweep.ts"
import type { SweepableDeposit } from "../sweep/SweepableDeposit.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { SearchHit } from "./SearchHit.ts"

/** A page of addresses: after which one to go on (by age, then id), and what to show. */
export interface AddressQuery {
  readonly network?: Network | undefined
  readonly reference?: string | undefined
  readonly address?: string | undefined
  readonly includeRetired: boolean
  /** The id of the last address of the page before. */
  readonly after?: string | undefined
  readonly limit: number
}

/** Which extended public keys to show. */
export interface XpubQuery {
  readonly network?: Network | undefined
  readonly includeRetired: boolean
}

/** A page of deposits by `change_seq`. */
export interface DepositQuery {
  readonly after: number
  readonly reference?: string | undefined
  readonly limit: number
}

/** A place in the register, newest first. */
export interface RegisterPosition {
  readonly createdAt: Timestamp
  readonly id: string
}

/** A page of the register. `since` is inclusive, `until` exclusive. */
export interface RegisterQuery {
  readonly kind?: OperationKind | undefined
  /** Any of these kinds. */
  readonly kinds?: ReadonlyArray<OperationKind> | undefined
  readonly partnerReference?: string | undefined
  readonly status?: OperationStatus | undefined
  readonly currency?: string | undefined
  readonly customerId?: string | undefined
  readonly actsFor?: ActsFor | undefined
  /** Only those whose outcome is, or is not, known. */
  readonly unresolved?: boolean | undefined
  readonly since?: Timestamp | undefined
  readonly until?: Timestamp | undefined
  readonly after?: RegisterPosition | undefined
  readonly limit: number
}

/** A page of operations as operators look for them: of one tenant or of all. `since` is inclusive, `until` exclusive. */
export interface OperationQuery {
  /** Of all tenants where it is absent. */
  readonly tenantId?: TenantId | undefined
  /** Any of these kinds. */
  readonly kinds?: ReadonlyArray<OperationKind> | undefined
  readonly status?: OperationStatus | undefined
  readonly unresolved?: boolean | undefined
  /** Only those that something contradicts which operators have not closed. */
  readonly contradicted?: true | undefined
  /** What it waits for before it is sent, as its details or its payout say. */
  readonly waitingReason?: string | undefined
  readonly provider?: string | undefined
  readonly network?: Network | undefined
  readonly currency?: string | undefined
  readonly txHash?: string | undefined
  readonly since?: Timestamp | undefined
  readonly until?: Timestamp | undefined
  readonly order: "newest" | "oldest"
  readonly after?: RegisterPosition | undefined
  readonly limit: number
}

/** A page of customers, newest first. */
export interface CustomerQuery {
  readonly externalId?: string | undefined
  readonly after?: RegisterPosition | undefined
  readonly limit: number
}

/** A page of sweeps, newest first. */
export interface SweepQuery {
  /** Only those that are not closed, or only those that are. */
  readonly open?: boolean | undefined
  readonly addressId?: string | undefined
  readonly after?: RegisterPosition | undefined
  readonly limit: number
}

/** What waits to be swept from an address. */
export interface SweepablesQuery {
  readonly addressId: string
  /** How many of each currency at most. */
  readonly limit: number
}

/** The totals of one kind, currency and status. */
export interface CategoryTotal {
  readonly kind: OperationKind
  readonly currency: string
  readonly status: OperationStatus
  readonly count: number
  readonly units: bigint
  readonly feeUnits: bigint
}

/** Records of a kind, and those that cannot be read. */
export interface ReadableRecords<A> {
  readonly records: ReadonlyArray<A>
  readonly unreadable: ReadonlyArray<UnreadableRow>
}

/** Part of a statement of `float:available`: its legs, oldest first, with the balance before the first of them. */
export interface StatementPage {
  readonly opening: bigint
  readonly closing: bigint
  /** Each with its place in its millisecond (`LegMoment`). */
  readonly movements: ReadonlyArray<{ readonly leg: PostedLeg; readonly operation: Operation; readonly nth: number }>
  /** There are more legs between the dates than the limit. */
  readonly truncated: boolean
}

/** The place of a leg among all of a tenant. */
export type LegPlace = Pick<PostedLeg, "ordinal" | "postingSeq">

/** A line of an account, with the operation that made it. */
export interface AccountLine {
  readonly leg: PostedLeg
  /** Undefined where the leg belongs to an outbound transaction that no operation bears. */
  readonly operation: Operation | undefined
}

/** What can be read of one tenant. Reads take no lock and see only what is committed. */
export class Queries extends Context.Service<
  Queries,
  {
    /** Live (or all) addresses, oldest first; an unknown `after` gives an empty page. */
    readonly addresses: (
      tenantId: TenantId,
      query: AddressQuery
    ) => Effect.Effect<ReadonlyArray<DepositAddress>, StorageError>
    /** An address of the tenant's, live or retired. */
    readonly address: (tenantId: TenantId, id: string) => Effect.Effect<DepositAddress | undefined, StorageError>
    /** Live (or all) extended public keys, oldest first. */
    readonly xpubs: (tenantId: TenantId, query: XpubQuery) => Effect.Effect<ReadonlyArray<Xpub>, StorageError>
    readonly issuingAccount: (
      tenantId: TenantId,
      family: KeyFamily
    ) => Effect.Effect<IssuingAccount | undefined, StorageError>
    readonly deposits: (tenantId: TenantId, query: DepositQuery) => Effect.Effect<ReadonlyArray<Deposit>, StorageError>
    /** Events with an id above `after`, in id order. */
    readonly events: (
      tenantId: TenantId,
      after: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Event>, StorageError>
    /** The newest event that is of one of some kinds, or of any; undefined where there is none. */
    readonly newestEvent: (
      tenantId: TenantId,
      kinds: ReadonlyArray<string> | null
    ) => Effect.Effect<Event | undefined, StorageError>
    /** Every balance of the float accounts, by currency. */
    readonly float: (tenantId: TenantId) => Effect.Effect<ReadonlyArray<Balance>, StorageError>
    /** The legs of `float:available` in a currency from `since` on and before `until`, oldest first. */
    readonly statement: (
      tenantId: TenantId,
      query: {
        readonly currency: string
        readonly since?: LegMoment | undefined
        readonly until?: LegMoment | undefined
        readonly limit: number
      }
    ) => Effect.Effect<StatementPage, StorageError>
    /** The operations that are in the tenant's register (`concernsTenant`), newest first. */
    readonly register: (
      tenantId: TenantId,
      query: RegisterQuery
    ) => Effect.Effect<ReadonlyArray<Operation>, StorageError>
    /** The same for lists: one that cannot be read is logged (`operation.unreadable`), and takes none of the others away. */
    readonly listedRegister: (
      tenantId: TenantId,
      query: RegisterQuery
    ) => Effect.Effect<ReadonlyArray<ListedOperation>, StorageError>
    /** The totals of the register. */
    readonly summary: (
      tenantId: TenantId,
      query: { readonly since?: Timestamp | undefined; readonly until?: Timestamp | undefined }
    ) => Effect.Effect<ReadonlyArray<CategoryTotal>, StorageError>
    /** Operations of one tenant or of all, those that are in no register included. */
    readonly operations: (query: OperationQuery) => Effect.Effect<ReadonlyArray<Operation>, StorageError>
    /** The same for people to look at: one that cannot be read is logged (`operation.unreadable`), and takes none of the others away. */
    readonly listedOperations: (query: OperationQuery) => Effect.Effect<ReadonlyArray<ListedOperation>, StorageError>
    /**
     * What has exactly one of these texts as its id, hash, address or reference, or is an operation of one of these amounts; of any tenant,
     * newest first, at most `limit` for each. An operation that cannot be read is logged (`operation.unreadable`), and found like any other.
     */
    readonly search: (
      texts: ReadonlyArray<string>,
      limit: number,
      amounts?: ReadonlyArray<Amount>
    ) => Effect.Effect<ReadonlyArray<SearchHit>, StorageError>
    readonly operation: (tenantId: TenantId, id: string) => Effect.Effect<Operation | undefined, StorageError>
    /** The events that tell of one record, oldest first. */
    readonly eventsOf: (tenantId: TenantId, resourceId: string) => Effect.Effect<ReadonlyArray<Event>, StorageError>
    /** The legs of an operation in the order in which they were posted. */
    readonly legs: (tenantId: TenantId, operationId: string) => Effect.Effect<ReadonlyArray<PostedLeg>, StorageError>
    /** The legs of one account in a currency, newest first, with their operations. */
    readonly accountLines: (
      tenantId: TenantId,
      query: { readonly account: Account; readonly currency: string; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<AccountLine>, StorageError>
    /** What stands in suspense (`isSuspense`), by account and currency: in every currency that there ever was. */
    readonly suspense: (tenantId: TenantId) => Effect.Effect<ReadonlyArray<Balance>, StorageError>
    /** The legs of all accounts in suspense, newest first, with their operations. */
    readonly suspenseLines: (
      tenantId: TenantId,
      query: { readonly after?: LegPlace | undefined; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<AccountLine>, StorageError>
    readonly idempotencyRecord: (
      tenantId: TenantId,
      key: string
    ) => Effect.Effect<IdempotencyRecord | undefined, StorageError>
    /** One record of a kind. */
    readonly record: <A, K>(
      tenantId: TenantId,
      of: RecordDefinition<A, K>,
      key: K
    ) => Effect.Effect<A | undefined, StorageError>
    /** The records of a kind by their keys in ascending order: of one group, or all of them. Only for kinds of which there are few. */
    readonly records: <A, K>(
      tenantId: TenantId,
      of: RecordDefinition<A, K>,
      group?: string
    ) => Effect.Effect<ReadonlyArray<A>, StorageError>
    /**
     * The same, but those that cannot be read, for somebody has changed their rows, are named beside the others: for lists that guard money, as one row must
     * not hide what all others show. Whoever asks tells of them.
     */
    readonly readable: <A, K>(
      tenantId: TenantId,
      of: RecordDefinition<A, K>,
      group?: string
    ) => Effect.Effect<ReadableRecords<A>, StorageError>
    /** What lost its key to another tenant when the database was updated, newest first, behind a place where one is given; of all tenants. */
    readonly keyConflicts: (query: {
      readonly after?: KeyConflictPlace | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<KeyConflict>, StorageError>
    readonly customers: (
      tenantId: TenantId,
      query: CustomerQuery
    ) => Effect.Effect<ReadonlyArray<Customer>, StorageError>
    readonly sweeps: (tenantId: TenantId, query: SweepQuery) => Effect.Effect<ReadonlyArray<Sweep>, StorageError>
    /** The intakes of an address that wait to be swept: the largest of each currency, in no order. However many wait, no more than these are read. */
    readonly largestSweepables: (
      tenantId: TenantId,
      query: SweepablesQuery
    ) => Effect.Effect<ReadonlyArray<SweepableDeposit>, StorageError>
    /** The outbound transactions that a wallet pays for and that are not over, oldest first. */
    readonly openTransactions: (
      tenantId: TenantId,
      walletId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OutboundTransaction>, StorageError>
    /** Deposits whose block left the chain, those that came back among them, the latest first. */
    readonly reorgedDeposits: (tenantId: TenantId, limit: number) => Effect.Effect<ReadonlyArray<Deposit>, StorageError>
    readonly endpoints: (tenantId: TenantId) => Effect.Effect<ReadonlyArray<WebhookEndpoint>, StorageError>
    /** The newest block that is known of each network that is being read. */
    readonly heights: Effect.Effect<ReadonlyMap<Network, number>, StorageError>
  }
>()("@bursar/core/port/Queries") {}
