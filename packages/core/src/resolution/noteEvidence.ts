import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { Refusal } from "../base/Refusal.ts"
import { Operation } from "../operation/Operation.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { asEvidence } from "../payout/asEvidence.ts"
import { type GivenBefore, givesPlace, notGiven } from "../payout/givenBefore.ts"
import { evidenceKey, PayoutEvidence, setAside } from "../payout/PayoutEvidence.ts"
import type { Proof } from "../port/ChainSender.ts"

/** What an operator knows of an operation that is no chain payout. */
export interface NoteEvidence {
  /** As it was read. */
  readonly operation: Operation
  readonly note: string
  readonly by: string
  /** A transaction in its network's own form (`canonicalHash`), and what the chain says of it; null where it is a note alone. */
  readonly transaction: { readonly hash: string; readonly proof: Proof } | null
  /** For what the transaction was given before, as it was read (`givenBefore`); for nothing where absent. */
  readonly before?: GivenBefore
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

const factsOf = (proof: Proof) => ({
  verdict: proof.verdict,
  found: proof.verdict === "PROVEN" ? proof.detail : proof.reason
})

/** Whether evidence gives its place to more by its transaction, and nothing else by that stands beside it. */
const isAlone = (view: View, evidence: PayoutEvidence, before: GivenBefore): boolean =>
  givesPlace(view, evidence, before) && (evidence.sharedCount ?? 0) === 0 && evidence.costBorneBy === null

/**
 * Stores what an operator knows of an operation, with what the chain says of a transaction that is said to have made it. It moves
 * nothing: a resolution may stand on it. The same transaction again notes what the chain says now. Refused: `not_found`; a transaction
 * for what is on no network, or that is known as another operation's that does not give it up (`givesPlace`) (`state_conflict`).
 */
export const noteEvidence = ({
  before = notGiven,
  by,
  note,
  operation: read,
  transaction
}: NoteEvidence): Command<PayoutEvidence> => {
  const { network } = read
  const hash = transaction?.hash ?? null
  return {
    name: "NoteEvidence",
    reads: [
      readRecord(Operation, read.id),
      ...(hash === null || network === null
        ? []
        : [
            readRecord(PayoutEvidence, evidenceKey(network, hash, "")),
            ...before.holders.map((id) => readRecord(Operation, id)),
            readRecord(TransactionAttempt, attemptKey(network, hash))
          ])
    ],
    decide: (view) => {
      const operation = view.get(Operation, read.id)
      if (operation === undefined) return Result.fail(new Refusal({ code: "not_found", message: "No such operation." }))
      const facts = transaction === null ? null : factsOf(asEvidence(transaction.proof))
      let aside: ReadonlyArray<Change> = []
      if (hash !== null) {
        if (network === null) return conflict(`A ${operation.kind} is on no network: no transaction makes it.`)
        const there = view.get(PayoutEvidence, evidenceKey(network, hash, ""))
        const isAnothers = there !== undefined && there.operationId !== operation.id
        if (isAnothers && !isAlone(view, there, before))
          return conflict(`That transaction was given for operation ${there.operationId}.`)
        if (view.get(TransactionAttempt, attemptKey(network, hash)) !== undefined)
          return conflict("That transaction was signed for something else, and speaks for that.")
        if (isAnothers) aside = [putRecord(PayoutEvidence, setAside(there, view.newId()))]
        else if (there !== undefined) {
          if (there.verdict === "PROVEN") return Result.succeed({ changes: [], reply: there })
          const again: PayoutEvidence = { ...there, ...facts, checkedAt: view.now }
          return Result.succeed({ changes: [putRecord(PayoutEvidence, again)], reply: again })
        }
      }
      const evidence: PayoutEvidence = {
        key: hash === null || network === null ? `note|${view.newId()}` : evidenceKey(network, hash, ""),
        operationId: operation.id,
        network,
        txHash: hash,
        note,
        givenBy: by,
        givenAt: view.now,
        verdict: facts?.verdict ?? null,
        found: facts?.found ?? null,
        // others paid for it: what it cost is in the statement of whoever made it
        fee: null,
        checkedAt: facts === null ? null : view.now,
        sharedCount: 0,
        costBorneBy: null
      }
      return Result.succeed({ changes: [...aside, putRecord(PayoutEvidence, evidence)], reply: evidence })
    }
  }
}
