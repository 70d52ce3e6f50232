import type { CommonDetails } from "./details/CommonDetails.ts"
import type { Operation } from "./Operation.ts"

/** An operation as far as it says which order of its provider it has. */
type Ordered = Pick<Operation, "details" | "providerReference">

/**
 * Whether the provider had named no order before operators stated one. A row of old does not tell, but where its order goes by the transaction, none was
 * named.
 */
export const toldNone = ({ details, providerReference, txHash }: Ordered & Pick<Operation, "txHash">): boolean =>
  details.told_reference === null || (details.told_reference === undefined && providerReference === txHash)

/**
 * By which ids its provider can be asked about an operation's order: the one that is booked, where null is our own reference; those that operators had
 * stated before it; and, last, what it has to know: the one that the provider itself had told, or our own reference where it had told none and the order
 * goes by the transaction that the chain has proven, which no provider takes for an id.
 */
export const orderIds = (
  operation: Ordered & Pick<Operation, "txHash">
): readonly [string | null, ...ReadonlyArray<string | null>] => {
  const { details, providerReference } = operation
  const { stated_references: stated = [], told_reference: told } = details
  const isByTransaction = toldNone(operation) && providerReference === operation.txHash
  const last = isByTransaction ? [null] : told == null ? [] : [told]
  const others = [...stated.filter((one) => one !== told), ...last]
  return [providerReference, ...others.filter((one) => one !== providerReference)]
}

/** Whether an id is one of an operation's in place of which another is booked now. */
export const isReplaced = (operation: Ordered & Pick<Operation, "txHash">, reference: string): boolean =>
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
