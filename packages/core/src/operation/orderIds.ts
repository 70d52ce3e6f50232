import type { CommonDetails } from "./details/CommonDetails.ts"
import type { Operation } from "./Operation.ts"

/** An operation as far as it says which order of its provider it has. */
type Ordered = Pick<Operation, "details" | "providerReference">

/**
 * By which ids its provider can be asked about an operation's order: the one that is booked, where null is our own reference, and the one that the
 * provider itself had told where operators have stated another, which it may not know.
 */
export const orderIds = ({
  details: { told_reference: told },
  providerReference
}: Ordered): readonly [string | null, ...ReadonlyArray<string>] =>
  told == null || told === providerReference ? [providerReference] : [providerReference, told]

/** What the details of an operation keep where its order is to be known by an id that operators state. */
export const keepTold = (
  { details, providerReference }: Ordered,
  stated: string | null
): Pick<CommonDetails, "told_reference"> =>
  stated === null || stated === providerReference || details.told_reference !== undefined
    ? {}
    : { told_reference: providerReference }
