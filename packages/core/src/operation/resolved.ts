import { backoffMs, schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { CommonDetails } from "./details/CommonDetails.ts"
import { Operation } from "./Operation.ts"
import { putRecord } from "../engine/Records.ts"
import { contradictedBy, type Contradicting } from "./contradictions.ts"
import { wasSent } from "./wasSent.ts"

/** What of an operators' resolution stands in the details of the operation that it ended. */
export interface Resolved {
  readonly at: Timestamp
  /** What was said to have arrived; null where nothing was said of it. */
  readonly received: Amount | null
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** For how long the provider of an operation that is over is still asked, in case it says something else. */
export const resolutionWatchMs = 90 * dayMs

/** How operators resolved an operation; null where its provider, or nobody, said what became of it. */
export const resolvedOf = ({ details }: Pick<Operation, "details">): Resolved | null => {
  if (details.resolution === undefined) return null
  const { at, received_currency: currency, received_units: units } = details.resolution
  return {
    at,
    received: currency == null || units == null ? null : of(BigInt(units), currency)
  }
}

/** The details of an operation of which its provider says that nothing came of it: from then on it is watched. */
export const providerFailed = (now: Timestamp): Pick<CommonDetails, "failed_at"> => ({ failed_at: now })

/**
 * The details of an operation that fails: it is watched, also where its provider denies the order, unless nothing was sent. That an order is absent is
 * the least certain failure of all.
 */
export const failedIfSent = (operation: Operation, now: Timestamp): Pick<CommonDetails, "failed_at"> =>
  wasSent(operation) ? providerFailed(now) : {}

/**
 * Since when the provider of an operation that is over is asked in case it says something else: since operators and not it said what
 * became of it, or since it said that it failed, or never was, or that all of it came back. What is taken back of that has moved money of which the books know
 * nothing. Null where it is not asked.
 */
export const watchedSince = (operation: Pick<Operation, "details">): Timestamp | null =>
  resolvedOf(operation)?.at ?? operation.details.failed_at ?? null

/** Whether the provider of an operation that is over is still asked. */
export const isWatched = (operation: Operation, now: Timestamp): boolean => {
  const since = watchedSince(operation)
  return since !== null && now - since < resolutionWatchMs
}

/** When the provider of an operation that is over is asked again: ever more seldom, and not at all once it was long enough. */
export const watchAgain = (queue: string, operation: Operation, now: Timestamp): Change =>
  isWatched(operation, now)
    ? schedule(queue, operation.id, now + backoffMs(now - (watchedSince(operation) ?? now), minuteMs, dayMs))
    : unschedule(queue, operation.id)

/**
 * What an answer of the provider does to an operation that is over: nothing. Where it is watched and the provider says something else
 * (`said`), that is noted for operators to look into (`contradictedBy`), with the `reference` of the order that it spoke of where it gave one, and it is
 * asked again for a while.
 */
export const answeredLate = (
  queue: string,
  operation: Operation,
  said: Contradicting | undefined,
  now: Timestamp,
  reference: string | null = null
): { readonly operation: Operation; readonly changes: ReadonlyArray<Change> } => {
  const news =
    said === undefined || !isWatched(operation, now) ? undefined : contradictedBy(operation, said, now, reference)
  const after = news ?? operation
  return {
    operation: after,
    changes: [...(news === undefined ? [] : [putRecord(Operation, news)]), watchAgain(queue, after, now)]
  }
}
