import type { Amount } from "../money/Amount.ts"
import type { Operation } from "./Operation.ts"

const unitsIn = (value: string | undefined): bigint | undefined =>
  value !== undefined && /^\d+$/u.test(value) ? BigInt(value) : undefined

/** All that an operation can bring back: what it pays out; for an ON_RAMP what arrived, or is to arrive. */
export const wholeOf = ({ amount, details, kind }: Operation): Amount => {
  const arrived = kind === "ON_RAMP" ? unitsIn(details.arrived) : undefined
  return arrived === undefined ? amount : { units: arrived, currency: details.arrived_currency ?? amount.currency }
}

/** How much of it has come back so far. A RETURNED operation that does not say how much came back whole. */
export const returnedOf = (operation: Operation): bigint =>
  unitsIn(operation.details.returned) ?? (operation.status === "RETURNED" ? wholeOf(operation).units : 0n)

/**
 * What an event of an outcome tells as the amount: what moved with it. That is the operation's amount, but for what arrived for an
 * ON_RAMP, whatever was announced, and for the part that came back.
 */
export const movedAmount = (before: Operation, after: Operation, outcome: string): Amount => {
  const whole = wholeOf(after)
  if (outcome === "returned") return { ...whole, units: returnedOf(after) - returnedOf(before) }
  return outcome === "settled" ? whole : after.amount
}
