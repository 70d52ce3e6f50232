import { xdr } from "@stellar/stellar-sdk/base"
import { succeeded } from "./codes.ts"
import type { AccountEffect } from "./Effect.ts"
import { ledgerChanges } from "./entries.ts"
import { tryOne } from "./operations/apply.ts"
import { appliedResult, type Applied, encoded, refusedResult } from "./result.ts"
import { signaturesOf } from "./Signatures.ts"
import { type Draft, draftOver, settle } from "./State.ts"
import { payerOf, sourceOf, type Submission } from "./Submission.ts"
import { feeDue, operationAuth, sequenceFault, type When } from "./validate.ts"

/** A transaction in its ledger. */
export interface Executed {
  readonly submission: Submission
  /** Its place in the ledger, from 1. */
  readonly order: number
  readonly successful: boolean
  readonly feeCharged: bigint
  readonly result: xdr.TransactionResultWire
  readonly resultXdr: string
  readonly meta: xdr.TransactionMetaWire
  readonly metaXdr: string
  readonly feeChanges: Array<xdr.LedgerEntryChangeWire>
  readonly feeMetaXdr: string
  /** What each operation did; nothing where the transaction failed. */
  readonly effects: ReadonlyArray<ReadonlyArray<AccountEffect>>
  /** What a merged account had, for each operation that was one. */
  readonly merged: ReadonlyMap<number, bigint>
}

/** Takes the fee of a transaction, which is taken whether it then succeeds or not. */
export const chargeFee = (
  state: Draft,
  submission: Submission,
  { ledger, time }: When
): { readonly feeCharged: bigint; readonly feeChanges: Array<xdr.LedgerEntryChangeWire> } => {
  const draft = draftOver(state)
  const payer = draft.get(payerOf(submission))
  if (payer === undefined) throw new Error("the payer of a fee is gone")
  const feeCharged = feeDue(submission)
  draft.put(payer.id, { ...payer, balance: payer.balance - feeCharged, modified: { ledger, time } })
  const feeChanges = ledgerChanges(draft.changes())
  settle(draft, state)
  return { feeCharged, feeChanges }
}

const useSequence = (state: Draft, submission: Submission, { ledger, time }: When) => {
  const draft = draftOver(state)
  const account = draft.get(sourceOf(submission))
  if (account !== undefined) {
    draft.put(account.id, {
      ...account,
      sequence: submission.inner.sequence,
      sequenceAt: { ledger, time },
      modified: { ledger, time }
    })
  }
  const changes = ledgerChanges(draft.changes())
  settle(draft, state)
  return changes
}

interface Tried extends Applied {
  readonly changes: ReadonlyArray<Array<xdr.LedgerEntryChangeWire>>
  readonly effects: ReadonlyArray<ReadonlyArray<AccountEffect>>
}

/** Tries the operations one after the other; after one that fails the others are tried too, and told of, in vain. */
const tryAll = (state: Draft, { inner }: Submission, { ledger, time }: When): Tried => {
  const results: Array<xdr.OperationResultWire> = []
  const changes: Array<Array<xdr.LedgerEntryChangeWire>> = []
  const effects: Array<ReadonlyArray<AccountEffect>> = []
  for (const op of inner.operations) {
    const draft = draftOver(state)
    const recorded: Array<AccountEffect> = []
    const result = tryOne(op, inner.source, {
      state: draft,
      ledger,
      time,
      record: (effect) => recorded.push(effect)
    })
    results.push(result)
    if (!succeeded(result)) continue
    changes.push(ledgerChanges(draft.changes()))
    effects.push(recorded)
    settle(draft, state)
  }
  return { successful: results.every(succeeded), results, changes, effects }
}

const nothing: Tried = { successful: false, results: [], changes: [], effects: [] }

/** Tries the operations if their signatures still suffice. */
const tryAuthorized = (state: Draft, submission: Submission, when: When): Tried => {
  const results = operationAuth(state, submission, signaturesOf(submission.inner.signed))
  return results === undefined ? tryAll(state, submission, when) : { ...nothing, results }
}

/**
 * Applies a transaction whose fee was taken: its sequence is used up, then either all of its operations take effect or
 * none.
 */
export const execute = (
  state: Draft,
  submission: Submission,
  order: number,
  when: When,
  fee: ReturnType<typeof chargeFee>
): Executed => {
  const verdict = sequenceFault(state, submission, when)
  const before = verdict === undefined ? useSequence(state, submission, when) : []
  const draft = draftOver(state)
  const tried = verdict === undefined ? tryAuthorized(draft, submission, when) : nothing
  if (tried.successful) settle(draft, state)
  const result =
    verdict === undefined
      ? appliedResult(submission, fee.feeCharged, tried)
      : refusedResult(submission, fee.feeCharged, { verdict, inside: submission.bump !== undefined })
  const operations = (tried.successful ? tried.changes : []).map((changes) => ({ changes }))
  const meta: xdr.TransactionMetaWire = {
    v: 3,
    v3: { ext: { v: 0 }, txChangesBefore: before, operations, txChangesAfter: [], sorobanMeta: null }
  }
  return {
    submission,
    order,
    successful: tried.successful,
    feeCharged: fee.feeCharged,
    result,
    resultXdr: encoded(result),
    meta,
    metaXdr: xdr.TransactionMeta.fromXdrObject(meta).toXdr("base64"),
    feeChanges: fee.feeChanges,
    feeMetaXdr: xdr.encodeArray(
      xdr.LedgerEntryChange,
      fee.feeChanges.map(xdr.LedgerEntryChange.fromXdrObject),
      "base64"
    ),
    effects: tried.successful ? tried.effects : [],
    merged: mergedIn(tried.results)
  }
}

const mergedIn = (results: ReadonlyArray<xdr.OperationResultWire>): ReadonlyMap<number, bigint> =>
  new Map(
    results.flatMap((result, index) =>
      result.code === 0 && result.tr.type === 8 && result.tr.accountMergeResult.code === 0
        ? [[index, result.tr.accountMergeResult.sourceAccountBalance] as const]
        : []
    )
  )
