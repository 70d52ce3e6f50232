import type { xdr } from "@stellar/stellar-sdk/base"
import { availableOf, newAccount } from "./Account.ts"
import { accountOf } from "./address.ts"
import { baseFee, operationsMax } from "./network.ts"
import { isMalformed, levelOf, tryOne } from "./operations/apply.ts"
import { type Signatures, signaturesOf } from "./Signatures.ts"
import { type Draft, draftOver } from "./State.ts"
import { feeMaxOf, paidOperations, payerOf, sourceOf, type Submission } from "./Submission.ts"

/** Where a transaction is to be: the next ledger, and the time at which it might close. */
export interface When {
  readonly ledger: number
  readonly time: number
}

/** Why a transaction cannot be in a ledger, by the network's number; with what failed in it where an operation did. */
export type Verdict =
  | { readonly code: -1; readonly results: Array<xdr.OperationResultWire> }
  | { readonly code: -2 | -3 | -4 | -5 | -6 | -7 | -8 | -9 | -10 | -15 | -16 }

/** What a transaction pays when nobody competes. */
export const feeDue = (submission: Submission): bigint => baseFee * paidOperations(submission)

const timing = ({ inner: { signed } }: Submission, { ledger, time }: When): Verdict | undefined => {
  const { ledgerBounds, timeBounds } = signed
  if (timeBounds !== undefined) {
    const most = Number(timeBounds.maxTime)
    if (Number(timeBounds.minTime) > time) return { code: -2 }
    if (most !== 0 && most < time) return { code: -3 }
  }
  if (ledgerBounds !== undefined) {
    if (ledgerBounds.minLedger > ledger) return { code: -2 }
    if (ledgerBounds.maxLedger !== 0 && ledgerBounds.maxLedger <= ledger) return { code: -3 }
  }
  return undefined
}

/** A bid for a fee around another must be no lower for each operation than what is in it. */
const bumpsEnough = (submission: Submission): boolean => {
  const { bump, inner } = submission
  if (bump === undefined) return inner.fee >= feeDue(submission)
  if (bump.fee < feeDue(submission)) return false
  return bump.fee * BigInt(inner.operations.length) >= inner.fee * paidOperations(submission)
}

/** Stands for an operation without a fault of its own in a transaction that failed before it was tried. */
const untried: xdr.OperationResultWire = { code: 0, tr: { type: 1, paymentResult: { code: 0 } } }

/** What the signatures on the operations come to; undefined where all suffice. */
export const operationAuth = (
  state: Pick<Draft, "get">,
  { inner }: Submission,
  signatures: Signatures
): Array<xdr.OperationResultWire> | undefined => {
  const results = inner.operations.map((op): xdr.OperationResultWire => {
    const id = accountOf(op.source ?? inner.source)
    // an account that an operation before may make is its own only signer
    const account = state.get(id) ?? newAccount(id, 0n, 0, 0)
    return signatures.suffice(account, account.thresholds[levelOf(op)]) ? untried : { code: -1 }
  })
  return results.every(({ code }) => code === 0) ? undefined : results
}

/** What operations that no state of the network would let pass come to; undefined where there are none. */
const malformedIn = (
  state: Pick<Draft, "get">,
  { inner }: Submission,
  { ledger, time }: When
): Array<xdr.OperationResultWire> | undefined => {
  const results = inner.operations.map((op): xdr.OperationResultWire => {
    const result = tryOne(op, inner.source, { state: draftOver(state), ledger, time, record: () => undefined })
    return isMalformed(result) ? result : untried
  })
  return results.some((result) => result !== untried) ? results : undefined
}

/** What is wrong with the account of a transaction or its sequence; another one in the same ledger may have changed it. */
export const sequenceFault = (state: Pick<Draft, "get">, submission: Submission, when: When): Verdict | undefined => {
  const { signed, sequence } = submission.inner
  const account = state.get(sourceOf(submission))
  if (account === undefined) return { code: -8 }
  const least = signed.minAccountSequence
  const inOrder =
    least === undefined
      ? sequence === account.sequence + 1n
      : account.sequence >= BigInt(least) && account.sequence < sequence
  if (!inOrder || sequence === BigInt(when.ledger) << 32n) return { code: -5 }
  const age = signed.minAccountSequenceAge ?? 0n
  const gap = signed.minAccountSequenceLedgerGap ?? 0
  const { ledger = 0, time = 0 } = account.sequenceAt ?? {}
  return BigInt(when.time - time) < age || when.ledger - ledger < gap ? { code: -15 } : undefined
}

/** Looks at the transaction inside, the fee and its payer apart. */
const innerFault = (state: Pick<Draft, "get">, submission: Submission, when: When): Verdict | undefined => {
  const { inner } = submission
  if (inner.operations.length === 0) return { code: -4 }
  if (inner.operations.length > operationsMax) return { code: -16 }
  const early = timing(submission, when) ?? sequenceFault(state, submission, when)
  if (early !== undefined) return early
  const account = state.get(sourceOf(submission))
  if (account === undefined) return { code: -8 }
  const signatures = signaturesOf(inner.signed)
  if (!signatures.suffice(account, account.thresholds.low)) return { code: -6 }
  const results = operationAuth(state, submission, signatures) ?? malformedIn(state, submission, when)
  if (results !== undefined) return { code: -1, results }
  return signatures.allUsed() ? undefined : { code: -10 }
}

/** What is found wrong, and whether with the transaction inside another. */
export interface Fault {
  readonly verdict: Verdict
  readonly inside: boolean
}

/**
 * Whether a transaction can be in the next ledger, in the order in which the network looks: the fee, the times, the
 * sequence, the signatures, and that the payer has the fee beside the `promised` fees of its other transactions.
 */
export const validate = (
  state: Pick<Draft, "get">,
  submission: Submission,
  when: When,
  promised: bigint
): Fault | undefined => {
  const { bump, inner } = submission
  const inside = bump !== undefined
  if (inner.operations.length === 0) return { verdict: { code: -4 }, inside }
  if (!bumpsEnough(submission)) return { verdict: { code: -9 }, inside: false }
  const payer = state.get(payerOf(submission))
  if (bump !== undefined) {
    if (payer === undefined) return { verdict: { code: -8 }, inside: false }
    const signatures = signaturesOf(bump.signed)
    if (!signatures.suffice(payer, payer.thresholds.low)) return { verdict: { code: -6 }, inside: false }
    if (!signatures.allUsed()) return { verdict: { code: -10 }, inside: false }
  }
  const fault = innerFault(state, submission, when)
  if (fault !== undefined) return { verdict: fault, inside }
  if (payer === undefined || availableOf(payer) < feeMaxOf(submission) + promised) {
    return { verdict: { code: -7 }, inside: false }
  }
  return undefined
}
