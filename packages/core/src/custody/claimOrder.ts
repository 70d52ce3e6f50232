import type { Change } from "../engine/Change.ts"
import { putRecord, readFact, readRecord } from "../engine/Records.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import type { Contradicting } from "../operation/contradictions.ts"
import type { Operation } from "../operation/Operation.ts"
import { type ProviderResult, unknown } from "../port/ProviderResult.ts"
import { orderOwner } from "./orderOwner.ts"
import { providerOrderKey, ProviderOrder } from "./ProviderOrder.ts"

/** What a provider tells of an order, as far as it says of which. */
export interface Referenced {
  readonly providerReference: string | null
}

/** What the provider calls the order that its answer is about; null where it names none. */
export const referenceOf = (answer: ProviderResult<Referenced>): string | null =>
  answer._tag === "Done" ? answer.value.providerReference : null

/** What `ownerOf` reads. */
export const ownerReads = (key: string): ReadonlyArray<Read> => [
  readRecord(ProviderOrder, key),
  readFact(orderOwner, key)
]

/** What `claimOrder` reads. */
export const claimReads = ({ provider }: Operation, answer: ProviderResult<Referenced>): ReadonlyArray<Read> => {
  const reference = referenceOf(answer)
  if (reference === null) return []
  return ownerReads(providerOrderKey(provider ?? "", reference))
}

/**
 * The id of the operation that has an order, of whichever tenant; null where none has it. A tenant's own record tells what its batch has just
 * claimed; it may also be one of several tenants' of a time when each could claim the order.
 */
export const ownerOf = (view: View, key: string): string | null =>
  view.fact(orderOwner, key) ?? view.get(ProviderOrder, key)?.operationId ?? null

/** The answer, unless it is about an order that another operation has: then it is no answer for this one, and says nothing. */
export const ownAnswer = <A extends Referenced>(
  view: View,
  { id, provider }: Operation,
  answer: ProviderResult<A>
): ProviderResult<A> => {
  const reference = referenceOf(answer)
  if (reference === null) return answer
  const owner = ownerOf(view, providerOrderKey(provider ?? "", reference))
  return owner === null || owner === id ? answer : unknown(`the order ${reference} belongs to operation ${owner}`)
}

/** Whether an answer goes by another id than the one that is booked of the operation's order. */
export const isUnderAnotherId = (
  { providerReference: known }: Pick<Operation, "providerReference">,
  answer: ProviderResult<Referenced>
): boolean => {
  const reference = referenceOf(answer)
  return known !== null && reference !== null && reference !== known
}

/** What is said of an operation that is over, with the id under which it is said where that is another one. */
export const saidUnder = (
  operation: Operation,
  answer: ProviderResult<Referenced>,
  told: Contradicting | undefined
): Contradicting | undefined =>
  told !== undefined && isUnderAnotherId(operation, answer)
    ? { ...told, said: `${told.said}, under the id ${referenceOf(answer)}` }
    : told

/**
 * Takes a provider's order for an operation, and its answer where that is about an order of its own: one under another id than is booked of it is no
 * answer, unless it is operators' word (`stated`), which books that id.
 */
export const claimOrder = <A extends Referenced>(
  view: View,
  operation: Operation,
  heard: ProviderResult<A>,
  stated?: true
): { readonly answer: ProviderResult<A>; readonly changes: ReadonlyArray<Change> } => {
  const provider = operation.provider ?? ""
  const answer = ownAnswer(view, operation, heard)
  const providerReference = referenceOf(answer)
  if (stated === undefined && isUnderAnotherId(operation, answer)) {
    const why = `the order is ${operation.providerReference}, and the provider answered with ${providerReference}`
    return { answer: unknown(why), changes: [] }
  }
  const isFree = providerReference !== null && ownerOf(view, providerOrderKey(provider, providerReference)) === null
  if (!isFree) return { answer, changes: [] }
  return { answer, changes: [putRecord(ProviderOrder, { provider, providerReference, operationId: operation.id })] }
}
