import type { Operation } from "../operation/Operation.ts"
import type { ProviderResult } from "../port/ProviderResult.ts"
import type { TransferState } from "../port/FiatProvider.ts"

/**
 * What a provider says of a transfer of which nothing can become any more which cannot be so as the books have it; undefined where
 * it says nothing of the kind.
 */
export const transferContradiction = (
  { status }: Operation,
  answer: ProviderResult<TransferState>
): string | undefined => {
  if (answer._tag !== "Done") return undefined
  const { received, returned, status: said } = answer.value
  if (said === "UNRESOLVED" || said === status) return undefined
  const gaveBack = said === "FAILED" || (said === "RETURNED" && returned?.units === received?.units)
  return gaveBack ? undefined : `it says ${said}`
}
