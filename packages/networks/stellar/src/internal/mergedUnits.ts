import { xdr } from "@stellar/stellar-sdk/base"
import { Result } from "effect"

const resultsIn = ({ result }: xdr.TransactionResult): ReadonlyArray<xdr.OperationResult> | undefined => {
  const inner = result.type === "txFeeBumpInnerSuccess" ? result.innerResultPair.result.result : result
  return inner.type === "txSuccess" ? inner.results : undefined
}

/**
 * What an account had when it was merged, out of the result of its transaction: the operation does not say it. Undefined where
 * the result cannot be read, or is not that of a merge at this place.
 */
export const mergedUnits = (resultXdr: string, index: number): bigint | undefined => {
  const result = Result.getOrUndefined(Result.try(() => xdr.TransactionResult.fromXdr(resultXdr, "base64")))
  const operation = result === undefined ? undefined : resultsIn(result)?.[index]
  if (operation?.type !== "opInner" || operation.tr.type !== "accountMerge") return undefined
  const { accountMergeResult: merge } = operation.tr
  return merge.type === "accountMergeSuccess" ? merge.sourceAccountBalance : undefined
}
