import type { Amount } from "../money/Amount.ts"
import type { Operation } from "../operation/Operation.ts"

/**
 * The least that the receiver of an operation was promised: the floor of the quote that it used; undefined where it used none.
 * It binds in every product: what is missing is the service's cost or somebody's to look at, never the customer's. No quote promises more than it
 * says is received: a floor above that was written by somebody else, and does not count.
 */
export const floorOf = ({ details, toAmountQuoted }: Operation): Amount | undefined => {
  if (details.floor == null || toAmountQuoted === null) return undefined
  const { currency, units: quoted } = toAmountQuoted
  const floor = BigInt(details.floor)
  return { units: floor < quoted ? floor : quoted, currency }
}
