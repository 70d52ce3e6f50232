import type { CommonDetails } from "./details/CommonDetails.ts"
import type { Operation } from "./Operation.ts"

/** An operation as far as it says which order of its provider it has. */
type Ordered = Pick<Operation, "details" | "providerReference">

/**
 * By which ids its provider is asked about an operation's order: the one that is booked, and what the provider itself had called it where operators
 * stated another, which the provider may not know. Null asks by our own reference.
 */
export const orderIds = ({ details, providerReference }: Ordered): ReadonlyArray<string | null> => {
  const { told_reference: told = providerReference } = details
  return told === providerReference ? [providerReference] : [providerReference, told]
}

/** What the details of an operation keep where its order is to be known by an id that operators state. */
export const keepTold = (
  { details, providerReference }: Ordered,
  stated: string | null
): Pick<CommonDetails, "told_reference"> =>
  stated === null || stated === providerReference || details.told_reference !== undefined
    ? {}
    : { told_reference: providerReference }
