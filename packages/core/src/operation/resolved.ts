import { backoffMs, schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Json } from "../engine/Json.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import { type Amount, of } from "../money/Amount.ts"
import type { Operation } from "./Operation.ts"

/** What of an operators' resolution stands in the details of the operation that it ended. */
export interface Resolved {
  readonly at: Timestamp
  /** What was said to have arrived; null where nothing was said of it. */
  readonly received: Amount | null
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** For how long the provider of an operation that operators resolved is still asked, in case it says something else. */
export const resolutionWatchMs = 90 * dayMs

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** How operators resolved an operation; null where its provider, or nobody, said what became of it. */
export const resolvedOf = ({ details }: Pick<Operation, "details">): Resolved | null => {
  const stored = details["resolution"]
  if (!isObject(stored) || typeof stored["at"] !== "number") return null
  const { at, received_currency: currency, received_units: units } = stored
  return {
    at,
    received: typeof currency === "string" && typeof units === "string" ? of(BigInt(units), currency) : null
  }
}

/** Whether the provider of an operation that is over is still asked, because operators and not it said what became of it. */
export const isWatched = (operation: Operation, now: Timestamp): boolean => {
  const resolved = resolvedOf(operation)
  return resolved !== null && now - resolved.at < resolutionWatchMs
}

/**
 * What an answer of the provider does to an operation that is over: nothing. Where operators resolved it and the provider says
 * something else (`said`), the first time is noted for operators to look into, and it is asked again for a while.
 */
export const answeredLate = (
  queue: string,
  operation: Operation,
  said: string | undefined,
  now: Timestamp
): ReadonlyArray<Change> => {
  const resolved = resolvedOf(operation)
  if (resolved === null || now - resolved.at >= resolutionWatchMs) return [unschedule(queue, operation.id)]
  const noted =
    said === undefined || operation.details["contradiction"] !== undefined
      ? []
      : [
          {
            _tag: "OperationPut",
            operation: { ...operation, details: { ...operation.details, contradiction: { said, at: now } } }
          } as const
        ]
  return [...noted, schedule(queue, operation.id, now + backoffMs(now - resolved.at, minuteMs, dayMs))]
}
