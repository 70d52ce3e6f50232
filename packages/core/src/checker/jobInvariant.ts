import { accountQueue } from "../account/accountQueue.ts"
import { custodianQueue } from "../custody/CustodyStep.ts"
import { verificationQueue } from "../customer/Customer.ts"
import { ownIdOf } from "../engine/Job.ts"
import { canMove } from "../operation/moveOperation.ts"
import type { Operation, OperationStatus } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { watchedSince } from "../operation/resolved.ts"
import { awaitsReview } from "../operation/Review.ts"
import { payoutQueue } from "../payout/payoutQueue.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { openSweepQueue } from "../sweep/sweepQueues.ts"
import { isProvided, transferQueue } from "../transfer/Transfer.ts"
import { isFinished } from "../transfer/transferState.ts"
import type { Invariant } from "./Invariant.ts"

const placeOf = (queue: string, key: string): string => `${queue}|${key}`

/** The queues whose jobs are about records of this ledger; jobs in other queues are not checked here. */
const judged: ReadonlySet<string> = new Set([custodianQueue, transferQueue, accountQueue, verificationQueue])

/** The same, whichever the network is. */
const judgedPrefixes = [payoutQueue(""), transactionQueue(""), openSweepQueue("")]

const isJudged = (queue: string): boolean =>
  judged.has(queue) || judgedPrefixes.some((prefix) => queue.startsWith(prefix))

/** Where an operation waits that a provider carries out; undefined for others. */
const queueOf = ({ kind }: Operation): string | undefined => {
  if (kind === "WITHDRAWAL" || kind === "SWAP") return custodianQueue
  return isProvided(kind) ? transferQueue : undefined
}

/** A payout that was sent before cannot go before an operator any more: where it has to, it is flagged (`holdPayout`). */
const isFlaggedForPeople = (operation: Operation): boolean =>
  operation.unresolved && !canMove(operation, "review_wanted")

/** What is open is looked at. */
export const jobQueue: Invariant = {
  name: "jobs",
  rule: "every operation, transaction and sweep that is open and waits for no operator is in the queue of the process that advances it, and every job is of something open, or of a payout that something else may have paid",
  bySubject: () => {
    /** What must be in a queue, in words. */
    const needed = new Map<string, string>()
    /** What may be. */
    const allowed = new Set<string>()
    /** Every chain payout that is open: its status, and whether it waits for an operator, or does if it waits at all. */
    const open = new Map<
      string,
      { readonly status: OperationStatus; readonly forPeople: "always" | "if it waits" | "no" }
    >()
    const need = (queue: string, key: string, what: string): void => {
      needed.set(placeOf(queue, key), what)
    }
    return {
      customer: ({ id }) => {
        allowed.add(placeOf(verificationQueue, id))
        return undefined
      },
      account: ({ id }) => {
        allowed.add(placeOf(accountQueue, id))
        return undefined
      },
      operation: (operation) => {
        const { id, kind, status } = operation
        const queue = queueOf(operation)
        const waits = awaitsReview(operation)
        if (kind === "CHAIN_PAYOUT" && !isOver(status))
          open.set(id, { status, forPeople: waits ? "always" : isFlaggedForPeople(operation) ? "if it waits" : "no" })
        if (queue === undefined) return undefined
        // what settled at a bank may still come back, and is looked at for as long as that is likely
        const mayMove = queue === transferQueue ? !isFinished(operation) : !isOver(status)
        // what operators resolved, or the provider says has failed or come back, is asked about for a while, in case it says something else
        if (mayMove || watchedSince(operation) !== null) allowed.add(placeOf(queue, id))
        if (!isOver(status) && !waits) need(queue, id, `${kind} ${id}, which is ${status}`)
        return undefined
      },
      transaction: ({ id, network, phase }) => {
        if (phase !== "FINAL") need(transactionQueue(network), id, `transaction ${id}, which is ${phase}`)
        return undefined
      },
      payout: ({ network, operationId, transactionId, waits }) => {
        const payout = open.get(operationId)
        // the chain may be asked what else has paid one that is over
        if (payout === undefined) allowed.add(placeOf(payoutQueue(network), operationId))
        if (payout === undefined || transactionId !== null) return undefined
        const { forPeople, status } = payout
        const mayBeOut = forPeople === "always" || (forPeople === "if it waits" && waits !== null)
        if (mayBeOut) allowed.add(placeOf(payoutQueue(network), operationId))
        else need(payoutQueue(network), operationId, `CHAIN_PAYOUT ${operationId}, which is ${status}`)
        return undefined
      },
      sweep: ({ closedAt, id, network, state }) => {
        if (closedAt === null) need(openSweepQueue(network), id, `sweep ${id}, which is ${state}`)
        return undefined
      },
      job: ({ key, queue }) => {
        if (!isJudged(queue)) return undefined
        const byProvider = queue === accountQueue || queue === verificationQueue
        const place = placeOf(queue, byProvider ? ownIdOf(key) : key)
        return needed.delete(place) || allowed.has(place)
          ? undefined
          : `${key} is in the queue ${queue}, where nothing of that name is open`
      },
      finish: () => {
        const [first] = needed
        return first === undefined
          ? undefined
          : `${first[1]}, is not in the queue ${first[0].slice(0, first[0].indexOf("|"))}`
      }
    }
  }
}
