import { BigInt as Big } from "effect"
import type { Cause, Movement } from "./Movement.ts"
import type { Candidate } from "./ReconciliationBreak.ts"
import type { Timestamp } from "../base/Timestamp.ts"

/** So many are named at most: the nearest in time. */
export const candidatesMax = 10

/** A line of the books at a place, as far as it can explain a break. */
export interface BookedLine {
  readonly operationId: string
  readonly tenantId: string
  readonly at: Timestamp
  readonly what: string
}

const known = ({ at, id, kind, tenantId }: Cause, reason: string): Candidate => ({ kind, id, tenantId, at, reason })

/** Those that could explain a difference: what is in flight with that amount, and what was booked with it, the nearest in time first. */
export const candidatesOf = (
  units: bigint,
  around: Timestamp,
  given: { readonly movements: ReadonlyArray<Movement>; readonly lines: ReadonlyArray<BookedLine> }
): ReadonlyArray<Candidate> => {
  const flying = given.movements
    .filter(({ inFlight: { least, most } }) => Big.abs(least) === Big.abs(units) || Big.abs(most) === Big.abs(units))
    .map(({ cause }) => known(cause, "It is of this amount and is in flight."))
  const booked = given.lines.map(({ at, operationId, tenantId, what }): Candidate => ({
    kind: "operation",
    id: operationId,
    tenantId,
    at,
    reason: `It was booked here with this amount (${what}).`
  }))
  return [...new Map([...booked, ...flying].map((one) => [one.id, one])).values()]
    .toSorted((one, other) => Math.abs(one.at - around) - Math.abs(other.at - around))
    .slice(0, candidatesMax)
}
