import type { Amount } from "../money/Amount.ts"
import type { Operation } from "../operation/Operation.ts"

/**
 * The least that the receiver of an operation was promised: the floor of the quote that it used; undefined where it used none.
 * It binds in every product: what is missing is the service's cost or somebody's to look at, never the customer's.
 */
export const floorOf = ({ details, toAmountQuoted }: Operation): Amount | undefined =>
  details.floor == null || toAmountQuoted === null
    ? undefined
    : { units: BigInt(details.floor), currency: toAmountQuoted.currency }
