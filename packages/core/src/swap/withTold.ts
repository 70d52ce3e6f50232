import { of } from "../money/Amount.ts"
import { ofKind, type Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import type { MadeConversion } from "./implausibleConversion.ts"

/** What a custodian says of a conversion that it has made, with what it had told before: a word that says less takes nothing back. */
export const withTold = (operation: Operation, made: MadeConversion): MadeConversion => {
  const { told_fees: fees, told_sold: sold } = ofKind(operation, "SWAP").details
  return {
    ...made,
    ...(made.sold === undefined && sold !== undefined && { sold: of(BigInt(sold.units), sold.currency) }),
    ...(made.feesBeside === undefined &&
      fees !== undefined && { feesBeside: fees.map(({ currency, units }) => of(BigInt(units), currency)) })
  }
}

/** The details of a swap of which nothing that was told waits to be booked. */
export const withoutTold = (operation: Operation): OperationDetails<"SWAP"> => {
  const { told_fees: _, told_sold: __, ...details } = ofKind(operation, "SWAP").details
  return details
}

/** A swap that cannot be booked as its custodian says that it was made, with what is told of it. */
export const keepingTold = (operation: Operation, { feesBeside = [], sold }: MadeConversion): Operation => ({
  ...operation,
  details: {
    ...withoutTold(operation),
    ...(sold !== undefined && { told_sold: { units: sold.units.toString(), currency: sold.currency } }),
    ...(feesBeside.length > 0 && {
      told_fees: feesBeside.map(({ currency, units }) => ({ currency, units: units.toString() }))
    })
  }
})
