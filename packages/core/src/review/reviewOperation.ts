import { Result } from "effect"
import { custodianQueue } from "../custody/CustodyStep.ts"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import { countUsage, usageReads } from "../limit/limitedUsage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { holdReads, release } from "../operation/holds.ts"
import { concluded, moved } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { awaitsReview, reviewed } from "../operation/Review.ts"
import { wasSent } from "../operation/wasSent.ts"
import { payoutQueue } from "../payout/payoutQueue.ts"
import { swapReads } from "../swap/createSwap.ts"
import { giveBack } from "../swap/recordSwap.ts"
import { toCurrencyOf } from "../swap/toCurrencyOf.ts"
import { endTransfer } from "../transfer/endTransfer.ts"
import { sourceReads } from "../transfer/refund.ts"
import { isTransfer, transferQueue } from "../transfer/Transfer.ts"
import { transferReads } from "../transfer/transferLegs.ts"
import { transferOutcomeReads } from "../transfer/transferLimits.ts"
import { Payout } from "../payout/Payout.ts"
import { standingFor, standingReads } from "../payout/standingEvidence.ts"

/** What an operator decides of an operation that awaits review. Whoever made it may cancel it, and neither approve nor reject it. */
export type Verdict = "APPROVE" | "REJECT" | "CANCEL"

/** An operator's word on an operation that awaits review. */
export interface ReviewOperation {
  /** As it was read: it says what the command has to know of. */
  readonly operation: Operation
  readonly verdict: Verdict
  /** The transactions that were given as evidence for it, as they were read (`hashesGiven`); none where absent. */
  readonly given?: ReadonlyArray<string>
  readonly by: string
  readonly reason: string | null
  readonly currencies: CurrencyTable
}

/** Where an operation that leaves goes on once it is approved, and the account that its value is taken from in the end. */
const roadOf = (
  { id, kind, network }: Operation,
  now: Timestamp
): { readonly from: AssetAccount; readonly go: Change } => {
  if (kind === "WITHDRAWAL" || kind === "SWAP") return { from: "custodian", go: schedule(custodianQueue, id, now) }
  if (kind !== "CHAIN_PAYOUT") return { from: "bank", go: schedule(transferQueue, id, now) }
  if (network === null) throw new Error(`chain payout ${id} is on no network`)
  return { from: `chain:${network}:payouts`, go: schedule(payoutQueue(network), id, now) }
}

const conflict = (message: string) => Result.fail(new Refusal({ code: "state_conflict", message }))

/** Whether what was signed for a payout is proven to have expired: its operation still names that. */
const hasExpired = (payout: Payout | undefined): boolean =>
  payout !== undefined && payout.transactionId === null && payout.earlierTransactions.length > 0

/**
 * Approves an operation of any kind that awaits review, so that it is sent; rejects it, so that it is FAILED (`review_rejected`); or
 * cancels it (`cancelled_by_operator`). What is not approved gives back what it held and what it used of the limits. Refused:
 * `not_found`; what does not await review, is reviewed by its maker, or has reached its provider although nobody approved it; a payout that
 * evidence speaks for (`standingFor`), whatever the verdict (`state_conflict`).
 */
export const reviewOperation = ({
  by,
  currencies,
  given = [],
  operation: read,
  reason,
  verdict
}: ReviewOperation): Command<Operation> => ({
  name: "ReviewOperation",
  reads: [
    readRecord(Operation, read.id),
    ...(read.kind === "CHAIN_PAYOUT" ? [readRecord(Payout, read.id)] : []),
    ...(read.kind === "CHAIN_PAYOUT" && read.network !== null ? standingReads(read.network, read.id, given) : []),
    ...usageReads(read.kind),
    ...(read.kind === "SWAP"
      ? swapReads(read.amount.currency, toCurrencyOf(read))
      : holdReads(read.amount.currency, roadOf(read, read.createdAt).from)),
    ...(isTransfer(read.kind) ? [...sourceReads(read), ...transferReads(read), ...transferOutcomeReads(read)] : [])
  ],
  decide: (view) => {
    const operation = view.get(Operation, read.id)
    const payout = read.kind === "CHAIN_PAYOUT" ? view.get(Payout, read.id) : undefined
    if (operation === undefined)
      return Result.fail(new Refusal({ code: "not_found", message: "There is no such operation." }))
    if (!awaitsReview(operation)) return conflict(`The operation is ${operation.status} and awaits no review.`)
    if (wasSent(operation) && !hasExpired(payout))
      return conflict("Its provider has told of it: resolve it by what its provider says.")
    if (verdict !== "CANCEL" && (payout?.madeBy ?? operation.details.made_by) === by)
      return conflict("Whoever asked for a payout cannot review it.")
    const standing = payout === undefined ? undefined : standingFor(view, payout, given)
    if (standing !== undefined) return conflict(standing)
    const state = verdict === "APPROVE" ? "APPROVED" : "REJECTED"
    const details = reviewed(operation, { state, by, at: view.now, reason })
    const known: ReadonlyArray<Change> =
      payout === undefined
        ? []
        : [
            putRecord(Payout, {
              ...payout,
              waits: null,
              ...(verdict === "CANCEL" ? { cancelledBy: by } : { reviewedBy: by })
            })
          ]
    if (verdict === "APPROVE") {
      const after = moved(view, operation, "approved", { details })
      return Result.succeed({
        changes: [putRecord(Operation, after), ...known, roadOf(after, view.now).go],
        reply: after
      })
    }
    const why = verdict === "REJECT" ? "review_rejected" : "cancelled_by_operator"
    const patch = { details: { ...details, failure_reason: why } }
    if (isTransfer(operation.kind)) {
      const ended = endTransfer({ view, currencies, operation }, "rejected", patch)
      return Result.succeed({ changes: ended.changes, reply: ended.operation })
    }
    const failed = concluded(view, currencies, operation, "rejected", patch)
    // what a swap converts has left the balance already
    const back = operation.kind === "SWAP" ? giveBack(operation) : release(operation)
    return Result.succeed({
      changes: [
        ...failed.changes,
        back,
        ...known,
        // the chain may be being asked about evidence for it
        ...(payout === undefined ? [] : [unschedule(payoutQueue(payout.network), payout.operationId)]),
        ...countUsage(view, [operation], -1n)
      ],
      reply: failed.operation
    })
  }
})
