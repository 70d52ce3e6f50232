import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { suspenseTakenRead } from "../operation/SuspenseTaken.ts"
import { endReads } from "./endPayout.ts"
import { evidenceOf, evidenceReadsOf } from "./evidenceOf.ts"
import { askAfterEnd } from "./hearAfterEnd.ts"
import { wasTold } from "./holdSignedBefore.ts"
import { Payout } from "./Payout.ts"
import { payoutQueue } from "./payoutQueue.ts"
import { settleProven } from "./settleProven.ts"

/** What the chain was asked about a payout that is in no outbound transaction. */
export interface SettleHeld {
  /** As it was read. */
  readonly payout: Payout
  /** The transactions that were given as evidence, and that the chain was asked about. */
  readonly asked: ReadonlyArray<string>
  /** When to ask again, where it cannot be said yet. */
  readonly nextAt: Timestamp
  readonly currencies: CurrencyTable
}

/**
 * Whether a payout is in no outbound transaction, and something that was signed for it may have paid it: what only the signer knows, or what is held to
 * have expired. Of one that an operator let leave nobody can tell any more: its operator may have been told of something, and have given it as evidence.
 */
export const mayBePaid = (payout: Payout): boolean =>
  payout.transactionId === null &&
  (wasTold(payout, []) || payout.earlierTransactions.length > 0 || payout.reviewedBy !== null)

/** Whether a payout waits for an operator and does not go on by itself: one of which something was sent before cannot be in review, and is unresolved. */
const waitsForOperator = (operation: Operation, payout: Payout): boolean =>
  operation.status === "IN_REVIEW" || (operation.unresolved && wasTold(payout, []))

/**
 * Settles a payout that is in no outbound transaction and may be paid (`mayBePaid`), where one of the transactions that were given as evidence is proven to have made
 * it. Where that cannot be said yet it is asked again, and nothing else is sent meanwhile. Replies whether nothing speaks for it, and it may go on.
 */
export const settleHeld = ({ asked, currencies, nextAt, payout: read }: SettleHeld): Command<boolean> => ({
  name: "SettleHeld",
  reads: [
    readRecord(Payout, read.operationId),
    readRecord(Operation, read.operationId),
    ...endReads(read),
    ...evidenceReadsOf(read.network, [read.operationId], asked),
    ...[currencies.byAsset(read.network, null)?.code].flatMap((native) =>
      native === undefined
        ? []
        : [
            { _tag: "Balance", account: "network_fees", currency: native } as const,
            { _tag: "Balance", account: "suspense", currency: native } as const,
            suspenseTakenRead(native),
            ...placeReads(`chain:${read.network}:payouts`, native)
          ]
    )
  ],
  decide: (view) => {
    const payout = view.get(Payout, read.operationId)
    const operation = view.get(Operation, read.operationId)
    if (payout === undefined || operation === undefined || isOver(operation.status) || !mayBePaid(payout))
      return Result.succeed({ changes: [], reply: true })
    const { network, operationId: id } = payout
    const { networks } = currencies
    const pairs = [{ operation, payout }]
    const found = evidenceOf(view, { id: null, network }, { pairs, asked, known: null, networks })
    const queue = payoutQueue(network)
    if (found._tag === "Inconclusive") return Result.succeed({ changes: [schedule(queue, id, nextAt)], reply: false })
    const [made] = found.payments
    if (made === undefined)
      return waitsForOperator(operation, payout)
        ? Result.succeed({ changes: [unschedule(queue, id)], reply: false })
        : Result.succeed({ changes: [], reply: true })
    const paid = { id, network, purpose: "PAYOUT" } as const
    const proof = made.evidence
    return Result.succeed({
      changes: [
        ...settleProven(view, paid, { operation, payout }, { currencies, proof, share: null, legs: [] }),
        putRecord(Payout, { ...payout, waits: null }),
        // another may have paid it, too
        ...askAfterEnd(view, pairs)
      ],
      reply: false
    })
  }
})
