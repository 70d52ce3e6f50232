import { believedFeeMax } from "../custody/excessiveFee.ts"
import { conversionTimesMax } from "../swap/implausibleConversion.ts"
import { toCurrencyOf } from "../swap/toCurrencyOf.ts"
import type { Operation, OperationStatus } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { wasSent } from "../operation/wasSent.ts"
import { returnedOf, wholeOf } from "../operation/movedAmount.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { exactly, inFlightOf, matters, maybe, type Movement, type Range } from "./Movement.ts"
import type { Place } from "./Place.ts"

interface Moved {
  readonly currency: string
  readonly units: bigint
}

const negated = ({ currency, units }: Moved): Moved => ({ currency, units: -units })

/** How a provider was asked what it holds. */
export interface AskedProvider {
  /** When it was asked. */
  readonly asked: Timestamp
  /** Who pays it for the network of a withdrawal. */
  readonly networkFeeBorneBy: "RECEIVER" | "SERVICE"
}

/** What a withdrawal takes from the service for the network: as long as nobody has told it, as much as would be believed. */
const networkFeeOf = (
  { amount, details, networkFee, status }: Operation,
  { networkFeeBorneBy }: AskedProvider
): Moved | null => {
  if (status === "SETTLED") return details.network_fee_borne_by === "RECEIVER" ? null : networkFee
  if (networkFee !== null || networkFeeBorneBy === "RECEIVER") return networkFee
  return { currency: amount.currency, units: believedFeeMax(amount.units) }
}

/** What a custodian's holding changes by when it has carried an operation out, as far as that is told. */
const custodianEffect = (operation: Operation, provider: AskedProvider): ReadonlyArray<Moved> => {
  const { amount, details, kind, toAmountQuoted } = operation
  if (kind === "WITHDRAWAL") {
    const fee = networkFeeOf(operation, provider)
    return [negated(amount), ...(fee === null ? [] : [negated(fee)])]
  }
  const received =
    details.received === undefined
      ? { currency: toCurrencyOf(operation), units: (toAmountQuoted?.units ?? 0n) * conversionTimesMax }
      : { currency: toCurrencyOf(operation), units: BigInt(details.received) }
  // until it is told, a fee may have been taken beside; most take it in what they sell
  const told = (details.fees_beside ?? []).map(({ currency, units }) => ({ currency, units: -BigInt(units) }))
  const isTold = details.received !== undefined
  const beside = isTold ? told : [{ currency: amount.currency, units: -believedFeeMax(amount.units) }]
  return [negated(amount), received, ...beside]
}

/** What a bank account changes by when a transfer is carried out, less what has come back of it. */
const bankEffect = (operation: Operation): ReadonlyArray<Moved> => {
  const whole = wholeOf(operation)
  const back = returnedOf(operation)
  const units = whole.units - back
  return [{ currency: whole.currency, units: operation.kind === "ON_RAMP" ? units : -units }]
}

const bookedOf = (operation: Operation, units: bigint): Range =>
  operation.status === "SETTLED" || operation.status === "RETURNED" ? exactly(units) : exactly(0n)

/** How an operation stands that was not sent yet, or whose provider has not answered yet. */
const untold: ReadonlySet<OperationStatus> = new Set(["ACCEPTED", "IN_REVIEW"])

/** What a provider shows: an order that was sent may have been carried out, and what was booked after it was asked it may not show. */
const shownOf = (operation: Operation, units: bigint): Range =>
  untold.has(operation.status) && !wasSent(operation) ? exactly(0n) : maybe(units)

/**
 * What is in flight at a provider: of operations that were sent and are not over, and of those that ended after it was asked what it holds.
 * Nobody knows whether it shows them, so each counts for nothing or for all of it.
 */
export const providerMovements = (
  place: Place,
  operations: ReadonlyArray<Operation>,
  provider: AskedProvider
): ReadonlyArray<Movement> =>
  operations
    .filter(({ settledAt, status }) => !isOver(status) || (settledAt !== null && settledAt >= provider.asked))
    .flatMap((operation): ReadonlyArray<Movement> => {
      const effect = place.kind === "bank" ? bankEffect(operation) : custodianEffect(operation, provider)
      const { createdAt: at, id, tenantId } = operation
      return effect.map(({ currency, units }) => ({
        place: place.name,
        currency,
        inFlight: inFlightOf({ booked: bookedOf(operation, units), shown: shownOf(operation, units) }),
        cause: { kind: "operation", id, tenantId, at }
      }))
    })
    .filter(matters)
