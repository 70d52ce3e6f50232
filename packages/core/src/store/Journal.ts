import { Context, type Effect, type Stream } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Account } from "../ledger/Account.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import type { Network } from "../money/Network.ts"
import type { OperationKind } from "../operation/Operation.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { TransactionPurpose } from "../transaction/OutboundTransaction.ts"

/** Postings of a tenant in a row: those after one, up to and with another. Nothing where the two are the same. */
export interface PostingRange {
  readonly after: number
  readonly through: number
}

/**
 * What a posting was made for. Its kind is that of an operation, or the purpose of an outbound transaction that several operations
 * share or none has. The hash is filled in later than the rest; everything else never changes.
 */
export interface JournalSubject {
  readonly id: string
  /** Null where neither an operation nor an outbound transaction is known by the id. */
  readonly kind: OperationKind | TransactionPurpose | null
  readonly network: Network | null
  readonly partnerReference: string | null
  /** Of operations alone. */
  readonly txHash: string | null
}

/** A posting: legs that balance, booked at once. */
export interface JournalEntry {
  /** Counts up per tenant without a gap. */
  readonly posting: number
  /** Never before that of the posting before. */
  readonly postedAt: Timestamp
  readonly subject: JournalSubject
  /** In their order; those on other accounts are missing where accounts were named. */
  readonly legs: ReadonlyArray<PostedLeg>
}

/** The legs to read; of all accounts, or all currencies, where they are not named. */
export interface JournalFilter {
  readonly accounts?: ReadonlyArray<Account>
  readonly currency?: string
}

/**
 * A tenant's books in the order in which they were written, for those who copy them: exports and statements. What is booked is never
 * edited and postings are committed in their order, so a range that is known reads the same at any time.
 */
export class Journal extends Context.Service<
  Journal,
  {
    /** The last posting; 0 where there is none. */
    readonly lastPosting: (tenantId: TenantId) => Effect.Effect<number, StorageError>
    /** The last of the postings after one that were booked before a moment; the one itself where there is none. */
    readonly lastBefore: (tenantId: TenantId, moment: Timestamp, after: number) => Effect.Effect<number, StorageError>
    /** When the first posting after one was booked; undefined where there is none. */
    readonly firstAfter: (tenantId: TenantId, after: number) => Effect.Effect<Timestamp | undefined, StorageError>
    /** What every account held right after a posting, by account and currency; accounts that had no leg by then are missing. */
    readonly balancesAt: (tenantId: TenantId, posting: number) => Effect.Effect<ReadonlyArray<Balance>, StorageError>
    /** The postings of a range in order, in bounded memory. A reader that stalls for minutes is cut off. */
    readonly entries: (
      tenantId: TenantId,
      range: PostingRange,
      filter?: JournalFilter
    ) => Stream.Stream<JournalEntry, StorageError>
  }
>()("@bursar/core/store/Journal") {}
