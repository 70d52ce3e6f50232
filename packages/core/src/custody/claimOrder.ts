import type { Change } from "../engine/Change.ts"
import { putRecord, readFact, readRecord } from "../engine/Records.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import type { Operation } from "../operation/Operation.ts"
import { resolvedOf } from "../operation/resolved.ts"
import { type ProviderResult, unknown } from "../port/ProviderResult.ts"
import { orderOwner } from "./orderOwner.ts"
import { providerOrderKey, ProviderOrder } from "./ProviderOrder.ts"

interface Referenced {
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

/**
 * The answer, unless it is about an order that another operation has, or about another than the one that the provider has told of this one: then
 * it is no answer for this one, and says nothing. Which order it is, only operators' word (`stated`) changes, and then the provider may call it
 * otherwise than they do.
 */
export const ownAnswer = <A extends Referenced>(
  view: View,
  operation: Operation,
  answer: ProviderResult<A>,
  stated?: true
): ProviderResult<A> => {
  const { id, provider, providerReference: known } = operation
  const reference = referenceOf(answer)
  if (reference === null) return answer
  const owner = ownerOf(view, providerOrderKey(provider ?? "", reference))
  if (owner === id) return answer
  if (owner !== null) return unknown(`the order ${reference} belongs to operation ${owner}`)
  const isTold = known !== null && stated === undefined && resolvedOf(operation) === null
  return isTold && reference !== known
    ? unknown(`the order is ${known}, and the provider answered with ${reference}`)
    : answer
}

/** Takes a provider's order for an operation, and its answer where that is about an order of its own. */
export const claimOrder = <A extends Referenced>(
  view: View,
  operation: Operation,
  heard: ProviderResult<A>,
  stated?: true
): { readonly answer: ProviderResult<A>; readonly changes: ReadonlyArray<Change> } => {
  const provider = operation.provider ?? ""
  const answer = ownAnswer(view, operation, heard, stated)
  const providerReference = referenceOf(answer)
  const isFree = providerReference !== null && ownerOf(view, providerOrderKey(provider, providerReference)) === null
  return {
    answer,
    changes: isFree ? [putRecord(ProviderOrder, { provider, providerReference, operationId: operation.id })] : []
  }
}
