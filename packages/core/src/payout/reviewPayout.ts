import { Result } from "effect"
import { schedule } from "../engine/Agenda.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { holdReads, release } from "../operation/holds.ts"
import { concluded, moved } from "../operation/moveOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import { sendTopic } from "../outbound/sendTopic.ts"
import { failedFor, reviewed } from "./payoutDetails.ts"
import type { Payout } from "./Payout.ts"
import { countPayouts, payoutUsageReads } from "./payoutUsage.ts"

/** An operator's word on a payout that is in review. */
export interface ReviewPayout {
  /** As it was read: it says what the command has to know of. */
  readonly payout: Payout
  readonly approve: boolean
  readonly by: string
  readonly reason: string | null
  readonly currencies: CurrencyTable
}

/**
 * Approves a payout that is IN_REVIEW, so that it is sent, or rejects it, so that it is FAILED (`review_rejected`) and what it held
 * is given back. Refused: `not_found`; a payout that is not in review, or whose maker this is (`state_conflict`).
 */
export const reviewPayout = ({ approve, by, currencies, payout: read, reason }: ReviewPayout): Command<Operation> => ({
  name: "ReviewPayout",
  reads: [
    { _tag: "Operation", id: read.operationId },
    readRecord("Payout", read.operationId),
    ...payoutUsageReads,
    ...holdReads(read.currency, `chain:${read.network}:payouts`)
  ],
  decide: (view) => {
    const operation = view.operation(read.operationId)
    const payout = view.record("Payout", read.operationId)
    if (operation === undefined || payout === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such payout." }))
    if (operation.status !== "IN_REVIEW")
      return Result.fail(new Refusal({ code: "state_conflict", message: `The payout is ${operation.status}.` }))
    if (payout.madeBy === by)
      return Result.fail(
        new Refusal({ code: "state_conflict", message: "Whoever asked for a payout cannot review it." })
      )
    const review = { state: approve ? "APPROVED" : "REJECTED", by, at: view.now, reason } as const
    const details = reviewed(operation, review)
    const known: Payout = { ...payout, reviewedBy: by }
    if (approve) {
      const after = moved(view, operation, "approved", { details })
      return Result.succeed({
        changes: [
          { _tag: "OperationPut", operation: after },
          putRecord("Payout", known),
          schedule(sendTopic(payout.network), payout.operationId, view.now)
        ],
        reply: after
      })
    }
    const failed = concluded(view, currencies, operation, "rejected", {
      details: failedFor({ details }, "review_rejected")
    })
    return Result.succeed({
      changes: [
        ...failed.changes,
        release(operation),
        putRecord("Payout", known),
        ...countPayouts(view, [operation], -1n)
      ],
      reply: failed.operation
    })
  }
})
