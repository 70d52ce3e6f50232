import type { Change } from "../engine/Change.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import type { Operation } from "../operation/Operation.ts"
import { type ProviderResult, unknown } from "../port/ProviderResult.ts"
import { providerOrderKey, ProviderOrder } from "./ProviderOrder.ts"

interface Referenced {
  readonly providerReference: string | null
}

const referenceOf = (answer: ProviderResult<Referenced>): string | null =>
  answer._tag === "Done" ? answer.value.providerReference : null

/** What `claimOrder` reads. */
export const claimReads = ({ provider }: Operation, answer: ProviderResult<Referenced>): ReadonlyArray<Read> => {
  const reference = referenceOf(answer)
  return reference === null ? [] : [readRecord(ProviderOrder, providerOrderKey(provider ?? "", reference))]
}

/**
 * Takes a provider's order for an operation. An answer about an order that another operation has is no answer for this one: it
 * says nothing.
 */
export const claimOrder = <A extends Referenced>(
  view: View,
  operation: Operation,
  answer: ProviderResult<A>
): { readonly answer: ProviderResult<A>; readonly changes: ReadonlyArray<Change> } => {
  const providerReference = referenceOf(answer)
  if (providerReference === null) return { answer, changes: [] }
  const provider = operation.provider ?? ""
  const owner = view.get(ProviderOrder, providerOrderKey(provider, providerReference))
  if (owner === undefined)
    return {
      answer,
      changes: [putRecord(ProviderOrder, { provider, providerReference, operationId: operation.id })]
    }
  return owner.operationId === operation.id
    ? { answer, changes: [] }
    : { answer: unknown(`the order ${providerReference} belongs to operation ${owner.operationId}`), changes: [] }
}
