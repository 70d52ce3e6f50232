import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import type { Leg, LegPurpose } from "../ledger/Leg.ts"
import type { Amount } from "../money/Amount.ts"
import { holdReads, release, take } from "../operation/holds.ts"
import type { Operation } from "../operation/Operation.ts"

/** The balances that a transfer touches from its beginning to its end. */
export const transferReads = ({ amount }: Pick<Operation, "amount">): ReadonlyArray<Read> =>
  holdReads(amount.currency, "bank")

const line = (
  account: Leg["account"],
  direction: Leg["direction"],
  { currency, units }: Amount,
  what: LegPurpose
): ReadonlyArray<Leg> => (units === 0n ? [] : [{ account, direction, currency, units, what }])

const swapped = (leg: Leg): Leg => ({
  ...leg,
  direction: leg.direction === "DEBIT" ? "CREDIT" : "DEBIT",
  what: "return"
})

/**
 * What an ON_RAMP books once its money has arrived at the bank: `bank` → `float:available` for what the tenant gets of it, what
 * is more or less than that for the service, and the fee from the float.
 */
const arriving = (operation: Operation, arrived: Amount, credited: Amount): ReadonlyArray<Leg> => {
  const gain = arrived.units - credited.units
  const difference: Amount = { currency: arrived.currency, units: gain < 0n ? -gain : gain }
  return [
    ...line("bank", "DEBIT", arrived, "principal"),
    ...line("float:available", "CREDIT", credited, "principal"),
    ...line("fees", gain < 0n ? "DEBIT" : "CREDIT", difference, "principal"),
    ...line("float:available", "DEBIT", operation.customerFee, "fee"),
    ...line("fees", "CREDIT", operation.customerFee, "fee")
  ]
}

const posted = ({ id: operationId }: Operation, legs: ReadonlyArray<Leg>): Change => ({
  _tag: "Posted",
  operationId,
  legs
})

/** What had arrived at the bank for an ON_RAMP that settled. */
const arrivedOf = ({ amount, details }: Operation): Amount => {
  const units = details["arrived"]
  return { currency: amount.currency, units: typeof units === "string" ? BigInt(units) : amount.units }
}

/** The postings of a transfer that settled. An ON_RAMP has `arrived` in its details and what is credited as `toAmount`. */
export const settledPostings = (operation: Operation): ReadonlyArray<Change> =>
  operation.kind === "ON_RAMP"
    ? [posted(operation, arriving(operation, arrivedOf(operation), operation.toAmount ?? operation.amount))]
    : [take(operation, "bank")]

/** The postings of a transfer that ended before it settled: what it held is free again. An ON_RAMP held nothing. */
export const endedPostings = (operation: Operation): ReadonlyArray<Change> =>
  operation.kind === "ON_RAMP" ? [] : [release(operation)]

/**
 * The postings of a transfer that came back after it had settled. What was paid out is in the float again, the fee stays: the
 * work was done. What an ON_RAMP brought is gone again, fee and all. The bank has taken it already, so the float bears it even
 * where it was spent since: like a deposit that was reorged away, it may leave less than nothing, and nothing more is
 * accepted in the currency until that is covered.
 */
export const returnedPostings = (operation: Operation): ReadonlyArray<Change> => {
  if (operation.kind === "ON_RAMP") {
    const credited = operation.toAmount ?? operation.amount
    const legs = arriving(operation, arrivedOf(operation), credited).map(swapped)
    return [{ _tag: "Posted", operationId: operation.id, legs, mayOverdraw: true }]
  }
  return [
    posted(operation, [
      ...line("bank", "DEBIT", operation.amount, "return"),
      ...line("float:available", "CREDIT", operation.amount, "return")
    ])
  ]
}
