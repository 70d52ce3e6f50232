import { Schema } from "effect"
import { Money } from "../wire/Money.ts"
import { OperationKind, OperationStatus } from "../wire/OperationStatus.ts"
import { Timestamp } from "../wire/Timestamp.ts"

/** The spans of time that are summed up: a day and a week by the hour, a month and a quarter of a year by the day. */
export const seriesSpans = ["day", "week", "month", "quarter"] as const
/** A span of time that is summed up. */
export type SeriesSpan = (typeof seriesSpans)[number]

const at = Timestamp.annotate({ description: "When the step begins." })

const steps = {
  from: Timestamp.annotate({ description: "When the first step begins." }),
  until: Timestamp.annotate({ description: "When the last step ends." }),
  step_seconds: Schema.Int
}

const durations = {
  at,
  count: Schema.Int,
  median_ms: Schema.Int.annotate({ description: "Half of them took no longer." }),
  p95_ms: Schema.Int.annotate({ description: "95 of 100 took no longer." })
}

/** Operations over time, by when they were accepted. */
export const VolumeSeries = Schema.Struct({
  ...steps,
  points: Schema.Array(
    Schema.Struct({ at, kind: OperationKind, status: OperationStatus, amount: Money, count: Schema.Int })
  )
}).annotate({ identifier: "VolumeSeries" })
/** Operations over time. */
export type VolumeSeries = typeof VolumeSeries.Type

/** How long settlements and confirmations took. Steps in which nothing was settled or confirmed are left out. */
export const TimesSeries = Schema.Struct({
  ...steps,
  settlement: Schema.Array(Schema.Struct({ ...durations, kind: OperationKind })),
  confirmation: Schema.Array(Schema.Struct({ ...durations, network: Schema.String }))
}).annotate({ identifier: "TimesSeries" })
/** How long settlements and confirmations took. */
export type TimesSeries = typeof TimesSeries.Type

/** What networks took, and how far behind they were. */
export const NetworkSeries = Schema.Struct({
  ...steps,
  fees: Schema.Array(Schema.Struct({ at, network: Schema.String, fee: Money, count: Schema.Int })),
  lag: Schema.Array(
    Schema.Struct({
      at,
      network: Schema.String,
      blocks: Schema.Int.annotate({ description: "The most that it was behind in the step." })
    })
  )
}).annotate({ identifier: "NetworkSeries" })
/** What networks took, and how far behind they were. */
export type NetworkSeries = typeof NetworkSeries.Type

/** What a tenant had at the end of each step, available and held together. */
export const BalanceSeries = Schema.Struct({
  ...steps,
  points: Schema.Array(Schema.Struct({ at, balance: Money }))
}).annotate({ identifier: "BalanceSeries" })
/** What a tenant had at the end of each step. */
export type BalanceSeries = typeof BalanceSeries.Type
