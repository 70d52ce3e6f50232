import type { Amount } from "../money/Amount.ts"
import { isDisputed } from "../operation/disputed.ts"
import { wholeOf } from "../operation/movedAmount.ts"
import type { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"

/** An amount as details keep it. */
const stored = ({ currency, units }: Amount) => ({ units: units.toString(), currency })

type Stored = ReturnType<typeof stored>

const isSame = (one: Stored, other: Stored): boolean => one.units === other.units && one.currency === other.currency

/** With which amount a transfer has settled; null where it is not known. */
export const settledAmount = (operation: Operation): Amount | null =>
  operation.kind === "ON_RAMP" ? wholeOf(operation) : operation.toAmount

/** What the provider tells of a transfer that had settled with another amount, or that is not booked by this one. */
export const toldAmount = (amount: Amount): Pick<OperationDetails<"OFF_RAMP">, "told"> => ({ told: stored(amount) })

/** The amount that the provider told last of a transfer that is disputed; undefined where none was told, or nothing is disputed. */
export const disputedAmount = (operation: Operation): Amount | undefined => {
  const { told } = operation.details
  return told === undefined || !isDisputed(operation)
    ? undefined
    : { units: BigInt(told.units), currency: told.currency }
}

/** That operators have decided for an amount: against the one that was booked and the one that the provider told last, where those are others. */
export const overruledBy = (operation: Operation, decided: Amount): Pick<OperationDetails<"OFF_RAMP">, "overruled"> => {
  const { overruled = [], told } = operation.details
  const booked = settledAmount(operation)
  const all = [...overruled, ...(booked === null ? [] : [stored(booked)]), ...(told === undefined ? [] : [told])]
  const others = all.filter((one) => !isSame(one, stored(decided)))
  return { overruled: others.filter((one, index) => others.findIndex((first) => isSame(first, one)) === index) }
}

/** Whether operators have decided against an amount that the provider tells. */
export const isOverruled = ({ details: { overruled = [] } }: Operation, told: Amount): boolean =>
  overruled.some((one) => isSame(one, stored(told)))

/**
 * What the provider says that had arrived for an ON_RAMP of which something goes back, where the books have another amount and operators have not
 * decided against it: what goes back may be of what was never credited. Undefined where they agree, or it does not say.
 */
export const arrivedOtherwise = (operation: Operation, received: Amount | null): Amount | undefined => {
  const booked = wholeOf(operation)
  const said = received ?? disputedAmount(operation)
  const differs = said !== undefined && (said.units !== booked.units || said.currency !== booked.currency)
  return differs && !isOverruled(operation, said) ? said : undefined
}
