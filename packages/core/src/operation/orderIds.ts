import type { CommonDetails } from "./details/CommonDetails.ts"
import type { Operation } from "./Operation.ts"

/** An operation as far as it says which order of its provider it has. */
type Ordered = Pick<Operation, "details" | "providerReference">

/**
 * By which ids its provider can be asked about an operation's order: the one that is booked, where null is our own reference; those that operators had
 * stated before it; and, last, the one that the provider itself had told, which it has to know.
 */
export const orderIds = ({
  details: { stated_references: stated = [], told_reference: told },
  providerReference
}: Ordered): readonly [string | null, ...ReadonlyArray<string>] => {
  const others = [...stated.filter((one) => one !== told), ...(told == null ? [] : [told])]
  return [providerReference, ...others.filter((one) => one !== providerReference)]
}

/** Whether an id is one of an operation's in place of which another is booked now. */
export const isReplaced = (operation: Ordered, reference: string): boolean =>
  orderIds(operation).lastIndexOf(reference) > 0

/** What the details of an operation keep where its order is to be known by an id that operators state: each id that it had. */
export const keepTold = (
  { details, providerReference: had }: Ordered,
  stated: string | null
): Pick<CommonDetails, "stated_references" | "told_reference"> => {
  if (stated === null || stated === had) return {}
  if (details.told_reference === undefined) return { told_reference: had }
  const before = details.stated_references ?? []
  return had === null || had === details.told_reference || before.includes(had)
    ? {}
    : { stated_references: [...before, had] }
}
