import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { Leg, LegPurpose } from "../ledger/Leg.ts"
import type { Amount } from "../money/Amount.ts"
import { holdReads, release, take } from "../operation/holds.ts"
import { returnedOf, wholeOf } from "../operation/movedAmount.ts"
import type { Operation } from "../operation/Operation.ts"
import type { TransferState } from "../port/FiatProvider.ts"
import { onRampState } from "./transferState.ts"

/**
 * The balances that a transfer touches from its beginning to its end: with `suspense` and the currencies that the provider tells
 * of, for what arrives and is nobody's, or is credited though it is another than was announced.
 */
export const transferReads = (
  { amount }: Pick<Operation, "amount">,
  told: Partial<Pick<TransferState, "received" | "returned">> = {}
): ReadonlyArray<Read> => [
  ...holdReads(amount.currency, "bank"),
  ...[amount, told.received, told.returned].flatMap((one) =>
    one == null
      ? []
      : [
          ...placeReads("bank", one.currency),
          ...(["float:available", "suspense"] as const).map((account): Read => ({
            _tag: "Balance",
            account,
            currency: one.currency
          }))
        ]
  )
]

const opposite = { DEBIT: "CREDIT", CREDIT: "DEBIT" } as const

/** A leg; below zero it goes the other way, and nothing is none. */
const line = (
  account: Leg["account"],
  direction: Leg["direction"],
  { currency, units }: Amount,
  what: LegPurpose
): ReadonlyArray<Leg> => {
  if (units === 0n) return []
  return units > 0n
    ? [{ account, direction, currency, units, what }]
    : [{ account, direction: opposite[direction], currency, units: -units, what }]
}

const nothing: ReturnType<typeof onRampState> = { bank: 0n, credited: 0n, fee: 0n, difference: 0n, suspense: 0n }

/** What brings the books from what an ON_RAMP had changed in them to what it has changed by now. */
const onRampLegs = (
  operation: Operation,
  before: typeof nothing,
  what: Record<"principal" | "fee", LegPurpose>
): ReadonlyArray<Leg> => {
  const after = onRampState(operation)
  const { currency } = wholeOf(operation)
  const grown = (name: keyof typeof nothing): Amount => ({ currency, units: after[name] - before[name] })
  return [
    ...line("bank", "DEBIT", grown("bank"), what.principal),
    ...line("suspense", "CREDIT", grown("suspense"), what.principal),
    ...line("float:available", "CREDIT", grown("credited"), what.principal),
    ...line("fees", "CREDIT", grown("difference"), what.principal),
    ...line("float:available", "DEBIT", grown("fee"), what.fee),
    ...line("fees", "CREDIT", grown("fee"), what.fee)
  ]
}

const posted = ({ id: operationId }: Operation, legs: ReadonlyArray<Leg>): Change => ({
  _tag: "Posted",
  operationId,
  legs,
  // the bank has done it
  happened: true
})

/** The postings of an ON_RAMP whose money arrived: credited less the fee, or put in `suspense`, as the operation says. */
export const arrivedPostings = (operation: Operation): ReadonlyArray<Change> => [
  posted(operation, onRampLegs(operation, nothing, { principal: "principal", fee: "fee" }))
]

/** The postings of an ON_RAMP whose money stood in `suspense` and is credited. */
export const placedPostings = (before: Operation, after: Operation): ReadonlyArray<Change> => [
  posted(after, onRampLegs(after, onRampState(before), { principal: "principal", fee: "fee" }))
]

/** The postings of a transfer that paid out what it held. */
export const paidPostings = (operation: Operation): ReadonlyArray<Change> => [take(operation, "bank")]

/** The postings of a transfer that ended before it settled: what it held is free again. An ON_RAMP held nothing. */
export const endedPostings = (operation: Operation): ReadonlyArray<Change> =>
  operation.kind === "ON_RAMP" ? [] : [release(operation)]

/**
 * The postings of what came back between two states of a transfer. What was paid out and came back is in the float again, the
 * fee stays: the work was done. What the bank took back of what an ON_RAMP brought is gone, with its share of the fee. The bank
 * has taken it already, so the float bears it even where it was spent since: like a deposit that was reorged away, it may leave
 * less than nothing, and nothing more is accepted in the currency until that is covered.
 */
export const returnedPostings = (before: Operation, after: Operation): ReadonlyArray<Change> => {
  if (after.kind === "ON_RAMP") {
    const legs = onRampLegs(after, onRampState(before), { principal: "return", fee: "return" })
    return [{ _tag: "Posted", operationId: after.id, legs, mayOverdraw: true, happened: true }]
  }
  const back: Amount = { currency: after.amount.currency, units: returnedOf(after) - returnedOf(before) }
  return [
    posted(after, [...line("bank", "DEBIT", back, "return"), ...line("float:available", "CREDIT", back, "return")])
  ]
}
