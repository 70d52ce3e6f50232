import { xdr } from "@stellar/stellar-sdk/base"
import { operationCode, transactionCode } from "./codes.ts"
import type { Submission } from "./Submission.ts"
import type { Fault } from "./validate.ts"

/** What became of the operations of a transaction. */
export interface Applied {
  readonly successful: boolean
  readonly results: Array<xdr.OperationResultWire>
}

const hashBytes = (hash: string) => new Uint8Array(Buffer.from(hash, "hex"))

/** The result of a transaction that was applied. */
export const appliedResult = (
  { bump, inner }: Submission,
  feeCharged: bigint,
  { results, successful }: Applied
): xdr.TransactionResultWire => {
  const own = successful ? ({ code: 0, results } as const) : ({ code: -1, results } as const)
  if (bump === undefined) return { feeCharged, result: own, ext: { v: 0 } }
  const innerResultPair = {
    transactionHash: hashBytes(inner.hash),
    // the fee is told of the outer transaction
    result: { feeCharged: 0n, result: own, ext: { v: 0 } as const }
  }
  return {
    feeCharged,
    result: successful ? { code: 1, innerResultPair } : { code: -13, innerResultPair },
    ext: { v: 0 }
  }
}

/** The result of a transaction that cannot be in a ledger. */
export const refusedResult = ({ inner }: Submission, feeCharged: bigint, fault: Fault): xdr.TransactionResultWire => {
  if (!fault.inside) return { feeCharged, result: fault.verdict, ext: { v: 0 } }
  const innerResultPair = {
    transactionHash: hashBytes(inner.hash),
    result: { feeCharged: 0n, result: fault.verdict, ext: { v: 0 } as const }
  }
  return { feeCharged, result: { code: -13, innerResultPair }, ext: { v: 0 } }
}

/** A result in base64. */
export const encoded = (result: xdr.TransactionResultWire): string =>
  xdr.TransactionResult.fromXdrObject(result).toXdr("base64")

/** Horizon's words for a result. */
export interface ResultCodes {
  readonly transaction: string
  readonly inner_transaction?: string
  readonly operations?: ReadonlyArray<string>
}

/** Puts a result into Horizon's words. */
export const codesOf = ({ result }: xdr.TransactionResultWire): ResultCodes => {
  const inner = "innerResultPair" in result ? result.innerResultPair.result.result : undefined
  const shown = inner ?? result
  return {
    transaction: transactionCode(result.code),
    ...(inner === undefined ? {} : { inner_transaction: transactionCode(inner.code) }),
    ...("results" in shown && shown.code === -1 ? { operations: shown.results.map(operationCode) } : {})
  }
}
