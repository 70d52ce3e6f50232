import { Context, type Effect, type Stream } from "effect"
import type { Deposit } from "../deposit/Deposit.ts"
import type { Job } from "../engine/Job.ts"
import type { RecordDefinition } from "../engine/Records.ts"
import type { UnreadableRow } from "../engine/UnreadableRow.ts"
import type { Head } from "../engine/WriteSet.ts"
import type { Event } from "../event/Event.ts"
import type { IdempotencyRecord } from "../idempotency/IdempotencyRecord.ts"
import type { Balance, PostedLeg } from "../ledger/Leg.ts"
import type { Operation } from "../operation/Operation.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Filed, SubjectKind, SubjectRange } from "./subjects.ts"

/** One tenant's books as of one moment. Rows that cannot be read are left out, and named by `unreadable`. */
export interface TenantLedger {
  readonly head: Head
  readonly balances: ReadonlyArray<Balance>
  /** All legs, by `postingSeq`, then `ordinal`. */
  readonly legs: Stream.Stream<PostedLeg, StorageError>
  /** All operations, by id. */
  readonly operations: Stream.Stream<Operation, StorageError>
  /** All deposits, by `changeSeq`. */
  readonly deposits: Stream.Stream<Deposit, StorageError>
  /** All events, by id. */
  readonly events: Stream.Stream<Event, StorageError>
  /** All claims, by key. */
  readonly idempotencyRecords: Stream.Stream<IdempotencyRecord, StorageError>
  /** All jobs of the tenant, by queue, then by key. */
  readonly jobs: Stream.Stream<Job, StorageError>
  /**
   * What is kept of operations in sum, so that a summary need not read them all, held against the operations: the first total that is
   * not what they come to, in words. A storage that keeps none has none that is wrong.
   */
  readonly wrongTotal: Effect.Effect<string | undefined, StorageError>
  /** The rows that could not be read so far, in the order in which they were met. */
  readonly unreadable: Effect.Effect<ReadonlyArray<UnreadableRow>>
  /**
   * What is filed under the subjects of a range (`subjectsOf`), and beside it what that names: as several streams, each by subject, legs of
   * one subject by id. A stream reads so many rows at a time. Rows carry digests where there is a seed for them.
   */
  readonly filed: (
    range: SubjectRange,
    options: { readonly readRows: number; readonly seed: number | null }
  ) => ReadonlyArray<Stream.Stream<Filed, StorageError>>
  /** How many rows of each kind that is filed there are, counted without regard to what they are filed under. */
  readonly counts: Effect.Effect<Readonly<Record<SubjectKind, number>>, StorageError>
  /** How many rows `filed` gives between each two of these subjects, which are in order, and the sum of their digests. */
  readonly digests: (
    between: ReadonlyArray<string>,
    seed: number
  ) => Effect.Effect<ReadonlyArray<{ readonly filed: number; readonly digest: bigint }>, StorageError>
  /** All records of a kind, by key. */
  readonly records: <A, K>(of: RecordDefinition<A, K>) => Stream.Stream<A, StorageError>
}

/** The whole of a tenant's records for the checker, from one consistent snapshot: what is committed meanwhile is not seen. */
export class LedgerSnapshot extends Context.Service<
  LedgerSnapshot,
  {
    readonly snapshot: <A, E, R>(
      tenantId: TenantId,
      use: (ledger: TenantLedger) => Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StorageError, R>
  }
>()("@bursar/core/port/LedgerSnapshot") {}
