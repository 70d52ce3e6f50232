import { Context, type Effect } from "effect"
import type { Environment } from "../../base/Environment.ts"
import type { Timestamp } from "../../base/Timestamp.ts"
import type { StorageError } from "../../engine/StorageError.ts"
import type { AboutOperation } from "./StatementLine.ts"

/** Whose books a statement is compared with: an account of the chart, as far as it is with one provider. */
export interface StatementBooks {
  /** The name of the place. */
  readonly place: string
  readonly account: "custodian" | "bank"
  readonly environment: Environment
  readonly provider: string
  /** Whether bookings that name no provider are of this one: operators' adjustments are of whoever takes new orders. */
  readonly withAdjustments: boolean
}

/** Currencies that are one holding: how many base units of the holding one base unit of each is. */
export type Factors = ReadonlyMap<string, bigint>

/** What the books and the statements say of an operation at a place, and of the adjustments that correct it there, as one. */
export interface Compared extends AboutOperation {
  readonly createdAt: Timestamp
  /** Whether the operation is over: before, its lines and its bookings need not agree. */
  readonly isOver: boolean
  /** All that it has booked at the place, in base units of the holding: above zero what came, below zero what left. */
  readonly booked: bigint
  /** What of it was booked at `since` or later. */
  readonly bookedSince: bigint
  /** What of that adjustments have booked that correct the operation. */
  readonly correctedSince: bigint
  /** What of it came, each of its bookings by itself: a payout that was returned has booked that something left, and that it came. */
  readonly bookedIn: bigint
  /** When it last booked something at the place; null where it never did. */
  readonly bookedAt: Timestamp | null
  /** What the lines about it come to that statements have which are whole. */
  readonly shown: bigint
  /** What of that came. */
  readonly shownIn: bigint
}

/** An operation that has booked an amount at a place. */
export interface BookedAmount extends AboutOperation {
  readonly at: Timestamp
}

/** The bookings at providers beside the lines of their statements, of all tenants. A line counts once a statement is whole that has it. */
export class Statements extends Context.Service<
  Statements,
  {
    /** The orders with a provider that some texts name: by our ids, or by the provider's. A text that names two names neither. */
    readonly named: (
      books: StatementBooks,
      names: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, AboutOperation>, StorageError>
    /**
     * The operations that were booked at the provider, ended, or are told of in lines, from a moment on and before another: by their ids,
     * each once, after `after`, at most `limit`. An adjustment that corrects an operation stands for that.
     */
    readonly touched: (
      books: StatementBooks,
      period: { readonly from: Timestamp; readonly to: Timestamp },
      page: { readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<AboutOperation>, StorageError>
    /**
     * What the books and the statements say of some operations, each once. An adjustment that corrects an operation stands for that, and counts where
     * bookings that name no provider do.
     */
    readonly compared: (
      books: StatementBooks,
      operations: ReadonlyArray<AboutOperation>,
      factors: Factors,
      since: Timestamp
    ) => Effect.Effect<ReadonlyArray<Compared>, StorageError>
    /**
     * Operations that have booked just an amount of a holding at the provider in the direction of its sign, and that no line of that
     * direction is about which counts, the nearest in time to a moment, at most `limit`, within `withinMs` of it.
     */
    readonly unshown: (
      books: StatementBooks,
      amount: { readonly units: bigint; readonly factors: Factors },
      near: { readonly around: Timestamp; readonly withinMs: number; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<BookedAmount>, StorageError>
  }
>()("@bursar/core/reconciliation/statement/Statements") {}
