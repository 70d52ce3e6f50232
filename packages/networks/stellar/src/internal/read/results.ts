import { xdr } from "@stellar/stellar-sdk/base"
import { Result } from "effect"

const resultsIn = ({ result }: xdr.TransactionResult): ReadonlyArray<xdr.OperationResult> | undefined => {
  const inner = result.type === "txFeeBumpInnerSuccess" ? result.innerResultPair.result.result : result
  return inner.type === "txSuccess" ? inner.results : undefined
}

/** The result of one operation of a transaction that took effect; undefined where it cannot be read, or there is none. */
const resultAt = (resultXdr: string, index: number): xdr.OperationResultTr | undefined => {
  const result = Result.getOrUndefined(Result.try(() => xdr.TransactionResult.fromXdr(resultXdr, "base64")))
  const operation = result === undefined ? undefined : resultsIn(result)?.[index]
  return operation?.type === "opInner" ? operation.tr : undefined
}

/**
 * What an account had when it was merged, out of the result of its transaction: the operation does not say it. Undefined where
 * the result cannot be read, or is not that of a merge at this place.
 */
export const mergedUnits = (resultXdr: string, index: number): bigint | undefined => {
  const result = resultAt(resultXdr, index)
  if (result?.type !== "accountMerge") return undefined
  const { accountMergeResult: merge } = result
  return merge.type === "accountMergeSuccess" ? merge.sourceAccountBalance : undefined
}

/**
 * What arrived of a path payment whose sender fixed what leaves, out of the result of its transaction. Undefined where the result
 * cannot be read, or is not that of such a payment at this place.
 */
export const arrivedUnits = (resultXdr: string, index: number): bigint | undefined => {
  const result = resultAt(resultXdr, index)
  if (result?.type !== "pathPaymentStrictSend") return undefined
  const { pathPaymentStrictSendResult: sent } = result
  return sent.type === "pathPaymentStrictSendSuccess" ? sent.success.last.amount : undefined
}
