import { Context, type Effect } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import type { StorageError } from "../engine/StorageError.ts"
import type { Amount } from "../money/Amount.ts"
import type { Network } from "../money/Network.ts"
import type { OperationKind, OperationStatus } from "../operation/Operation.ts"
import type { TenantId } from "../tenant/Tenant.ts"

/** A span of time in hours or days of UTC: `from` is where the first begins, `until` where the last ends. */
export interface Steps {
  readonly from: Timestamp
  readonly until: Timestamp
  readonly stepMs: number
}

/** Which operations are summed up: those of one tenant, or of all. */
export interface SeriesQuery extends Steps {
  readonly tenantId?: TenantId | undefined
}

/** Operations of one step, kind, status and currency, by when they were accepted. */
export interface VolumePoint {
  readonly at: Timestamp
  readonly kind: OperationKind
  readonly status: OperationStatus
  readonly amount: Amount
  readonly count: number
}

/** How long something took in one step, in milliseconds: half took no longer than the median, and 95 of 100 no longer than `p95Ms`. */
export interface Durations {
  readonly at: Timestamp
  readonly count: number
  readonly medianMs: number
  readonly p95Ms: number
}

/** What networks took for operations of one step. */
export interface FeePoint {
  readonly at: Timestamp
  readonly network: Network
  readonly fee: Amount
  readonly count: number
}

/** What a tenant had at the end of a step: available and held. */
export interface BalancePoint {
  readonly at: Timestamp
  readonly balance: Amount
}

/** The most blocks that a network was behind in one step. */
export interface LagPoint {
  readonly at: Timestamp
  readonly network: Network
  readonly blocks: number
}

/** What happened over time, summed up in steps. Each read goes along an index and costs what lies between its moments. */
export class Series extends Context.Service<
  Series,
  {
    readonly volume: (query: SeriesQuery) => Effect.Effect<ReadonlyArray<VolumePoint>, StorageError>
    /** From acceptance to settlement, by the step of the acceptance. */
    readonly settlement: (
      query: SeriesQuery
    ) => Effect.Effect<ReadonlyArray<Durations & { readonly kind: OperationKind }>, StorageError>
    /** From the detection of a deposit to its confirmation, by the step of the detection; without what was found in old blocks. */
    readonly confirmation: (
      query: SeriesQuery
    ) => Effect.Effect<ReadonlyArray<Durations & { readonly network: Network }>, StorageError>
    readonly fees: (query: SeriesQuery) => Effect.Effect<ReadonlyArray<FeePoint>, StorageError>
    /** Of every currency in which the tenant ever had something. */
    readonly balances: (tenantId: TenantId, steps: Steps) => Effect.Effect<ReadonlyArray<BalancePoint>, StorageError>
    readonly lag: (steps: Steps) => Effect.Effect<ReadonlyArray<LagPoint>, StorageError>
  }
>()("@bursar/core/store/Series") {}
