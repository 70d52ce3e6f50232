import type { RateDecision, RateWindow } from "@bursar/core/port/RateLimits"
import type { Row } from "./cells.ts"
import * as Cell from "./cells.ts"
import type { Tickets } from "./RateTickets.ts"

/** Requests of the same windows that are asked for as one. */
export interface Asked {
  readonly windows: ReadonlyArray<RateWindow>
  readonly count: number
}

/** What the windows say of requests that were asked for as one. */
export interface Answered {
  readonly granted: number
  /** The decision on the last of those that are granted, or on all where none is. */
  readonly decision: RateDecision
  /** In which second each window has counted them. */
  readonly counted: Tickets["counted"]
}

const countedOf = (row: Row): Tickets["counted"] => {
  const [subjects, seconds] = [row["counted_in"], row["counted"]]
  if (!Array.isArray(subjects) || !Array.isArray(seconds)) throw new Error("the database does not say what it counted")
  return subjects.map((subject, at) => ({ subject: Cell.text(subject), second: Cell.int(seconds[at]) }))
}

/** What a row of `lease_rates` says. */
export const answeredOf = (row: Row): Answered => {
  const [granted, seconds] = [Cell.int(row.granted), Cell.int(row.reset_seconds)]
  return granted > 0
    ? {
        granted,
        decision: { _tag: "Allowed", remaining: Cell.int(row.remaining), resetSeconds: seconds },
        counted: countedOf(row)
      }
    : {
        granted,
        decision: { _tag: "Denied", limit: Cell.int(row.denied_limit), retryAfterSeconds: seconds },
        counted: []
      }
}

/** The decision on one of those that are granted, given how many of them come after it. */
export const decisionBefore = ({ decision }: Answered, after: number): RateDecision =>
  decision._tag === "Allowed" ? { ...decision, remaining: decision.remaining + after } : decision
