import type { Amount } from "../money/Amount.ts"
import { returnedOf, wholeOf } from "../operation/movedAmount.ts"
import type { Operation } from "../operation/Operation.ts"
import { resolvedOf } from "../operation/resolved.ts"

/** Whether what arrived for an ON_RAMP was nobody's: it stands on `suspense`, and nothing of it was credited. */
export const isSuspended = ({ details }: Operation): boolean => details.suspended === true

/** Whether money of the transfer has moved in the books beyond what it holds. */
export const isBooked = (operation: Operation): boolean =>
  operation.status === "SETTLED" || operation.status === "RETURNED" || isSuspended(operation)

/** Whether what stood on `suspense` was credited since, because operators said whose it is. */
export const isPlaced = ({ details }: Operation): boolean => details.placed === true

/** Whether the provider has told of a return that could not be booked: only a return that can be, or operators, end that. */
export const isReturnTold = ({ details }: Operation): boolean => details.return_told === true

/** Whether operators have stated how much came back in all: what is booked is that, and no part of which the provider had told before. */
export const isReturnStated = (operation: Operation): boolean =>
  !operation.unresolved &&
  operation.details.resolution?.outcome === "RETURNED" &&
  resolvedOf(operation)?.received?.units === returnedOf(operation)

/** Whether nothing can become of a transfer any more: it failed, or all of it came back. */
export const isFinished = (operation: Operation): boolean =>
  operation.status === "FAILED" ||
  (operation.status === "RETURNED" && returnedOf(operation) >= wholeOf(operation).units)

/** An amount of a transfer without the share of it that came back, rounded down. */
export const withoutReturned = (operation: Operation, units: bigint): bigint => {
  const [whole, back] = [wholeOf(operation).units, returnedOf(operation)]
  return back === 0n ? units : whole === 0n ? 0n : (units * (whole - back)) / whole
}

/**
 * What an ON_RAMP that brought something has changed in the books by now. The credit is what arrived and has not gone back; the
 * fee is kept for that share of it alone, so that a return costs the tenant nothing beyond what went back.
 */
export const onRampState = (operation: Operation) => {
  const bank = wholeOf(operation).units - returnedOf(operation)
  if (isSuspended(operation)) return { bank, credited: 0n, fee: 0n, difference: 0n, suspense: bank }
  const credited = withoutReturned(operation, (operation.toAmount ?? operation.amount).units)
  const fee = withoutReturned(operation, operation.customerFee.units)
  // what arrived is credited, unless it was booked by the rule of old, which credited what was quoted
  return { bank, credited, fee, difference: bank - credited, suspense: 0n }
}

/**
 * What is left with the receiver of what was promised or paid: nothing where the transfer failed, less where some came back, and
 * null where neither is known, or it is in suspense.
 */
export const leftWithReceiver = (operation: Operation, promised: Amount | null): Amount | null => {
  if (promised === null || isSuspended(operation)) return null
  return { ...promised, units: operation.status === "FAILED" ? 0n : withoutReturned(operation, promised.units) }
}
