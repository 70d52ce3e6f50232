import type { OperationRecord, xdr } from "@stellar/stellar-sdk/base"
import { accountOf } from "../address.ts"
import { innerCode } from "../codes.ts"
import { accountMerge, bumpSequence, createAccount } from "./accounts.ts"
import { manageData, setOptions } from "./options.ts"
import { pathPaymentStrictReceive, pathPaymentStrictSend, payment } from "./pay.ts"
import type { Step } from "./Step.ts"
import { changeTrust, setTrustLineFlags } from "./trust.ts"

/** Applies an operation whose account exists; undefined where the local network does not know its kind. */
const apply = (step: Step, op: OperationRecord): xdr.OperationResultTrWire | undefined => {
  switch (op.type) {
    case "payment":
      return payment(step, op)
    case "createAccount":
      return createAccount(step, op)
    case "pathPaymentStrictReceive":
      return pathPaymentStrictReceive(step, op)
    case "pathPaymentStrictSend":
      return pathPaymentStrictSend(step, op)
    case "accountMerge":
      return accountMerge(step, op)
    case "changeTrust":
      return changeTrust(step, op)
    case "setTrustLineFlags":
      return setTrustLineFlags(step, op)
    case "setOptions":
      return setOptions(step, op)
    case "manageData":
      return manageData(step, op)
    case "bumpSequence":
      return bumpSequence(step, op)
    default:
      return undefined
  }
}

/** Applies an operation on behalf of its own account, or of that of its transaction. */
export const tryOne = (
  op: OperationRecord,
  transactionSource: string,
  step: Omit<Step, "source" | "sourceAddress">
): xdr.OperationResultWire => {
  const sourceAddress = op.source ?? transactionSource
  const source = accountOf(sourceAddress)
  if (step.state.get(source) === undefined) return { code: -2 }
  const tr = apply({ ...step, source, sourceAddress }, op)
  return tr === undefined ? { code: -3 } : { code: 0, tr }
}

/** The refusals of each kind of operation that do not depend on the state of the network. */
const malformed: Readonly<Record<number, ReadonlyArray<number>>> = {
  0: [-1],
  1: [-1],
  2: [-1],
  5: [-7, -8, -9],
  6: [-1],
  8: [-1],
  10: [-4],
  11: [-1],
  13: [-1],
  21: [-1]
}

/** Whether an operation failed in a way in which it always would: such a transaction never gets into a ledger. */
export const isMalformed = (result: xdr.OperationResultWire): boolean =>
  result.code === -3 || (result.code === 0 && malformed[result.tr.type]?.includes(innerCode(result.tr)) === true)

/** Which of an account's thresholds an operation must meet. */
export const levelOf = (op: OperationRecord): "low" | "medium" | "high" => {
  if (op.type === "bumpSequence" || op.type === "setTrustLineFlags") return "low"
  if (op.type === "accountMerge") return "high"
  if (op.type !== "setOptions") return "medium"
  const guarded = [op.masterWeight, op.lowThreshold, op.medThreshold, op.highThreshold, op.signer]
  return guarded.some((value) => value !== undefined) ? "high" : "medium"
}
