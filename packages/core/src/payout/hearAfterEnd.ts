import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { schedule, unschedule } from "../engine/Job.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import { contradictedBy } from "../operation/contradictions.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { attemptKey, TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { isOpen } from "./evidenceOf.ts"
import type { OpenPayout } from "./openPayouts.ts"
import type { Payout } from "./Payout.ts"
import { isSetAside, PayoutEvidence } from "./PayoutEvidence.ts"
import { payoutQueue } from "./payoutQueue.ts"

/** Evidence that names a transaction which was not given for something else since. */
const named = (view: View, operationId: string) =>
  view
    .group(PayoutEvidence, operationId)
    .flatMap((one) => (one.txHash === null || isSetAside(one) ? [] : [{ ...one, txHash: one.txHash }]))

/**
 * Has the chain asked about payouts that end, where transactions were given as evidence: one of these may have paid what another has paid, or what fails
 * now. The command reads the `PayoutEvidence` of each.
 */
export const askAfterEnd = (view: View, ended: ReadonlyArray<OpenPayout>): ReadonlyArray<Change> =>
  ended.flatMap(({ operation: { id }, payout: { network } }) =>
    named(view, id).length === 0 ? [] : [schedule(payoutQueue(network), id, view.now)]
  )

/** What the chain was asked about a payout that is over. */
export interface HearAfterEnd {
  /** As it was read. */
  readonly payout: Payout
  /** The transactions that were given as evidence, and that the chain was asked about. */
  readonly asked: ReadonlyArray<string>
  /** When to ask again, where the chain does not say yet. */
  readonly nextAt: Timestamp
}

/**
 * Notes with a payout that is over which transactions are proven to have paid it beside what the books have: it was paid twice, or is paid and has failed.
 * That moves nothing, and stands until operators close it. One that was signed to pay others speaks for those. What the chain does not say yet it is
 * asked again. Replies with the operation as it is then; null where the payout is not over.
 */
export const hearAfterEnd = ({ asked, nextAt, payout: read }: HearAfterEnd): Command<Operation | null> => ({
  name: "HearAfterEnd",
  reads: [
    readRecord(Operation, read.operationId),
    readGroup(PayoutEvidence, read.operationId),
    ...asked.map((hash) => readRecord(TransactionAttempt, attemptKey(read.network, hash)))
  ],
  decide: (view) => {
    const { network, operationId: id } = read
    const operation = view.get(Operation, id)
    if (operation === undefined || !isOver(operation.status)) return Result.succeed({ changes: [], reply: null })
    const others = named(view, id).filter(({ txHash }) => txHash !== operation.txHash)
    const hasPaid = ({ txHash, verdict }: (typeof others)[number]): boolean =>
      verdict === "PROVEN" &&
      asked.includes(txHash) &&
      view.get(TransactionAttempt, attemptKey(network, txHash))?.pays.includes(id) !== false
    const after = others.filter(hasPaid).reduce((one, { txHash }) => {
      const said = `${txHash} is proven to have paid it${one.status === "SETTLED" ? ", too" : ""}`
      return contradictedBy(one, { said, moved: true }, view.now, txHash) ?? one
    }, operation)
    const queue = payoutQueue(network)
    const isAwaited = others.some((one) => isOpen(view, one, asked))
    return Result.succeed({
      changes: [
        ...(after === operation ? [] : [putRecord(Operation, after)]),
        isAwaited ? schedule(queue, id, nextAt) : unschedule(queue, id)
      ],
      reply: after
    })
  }
})
