import { Result } from "effect"
import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { isPut, putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import { objectionsTo } from "../leaving/askLeaving.ts"
import { leaveReads } from "../leaving/mayLeave.ts"
import { canMove, moved } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { unreservedAt } from "../operation/reserveAssets.ts"
import { goingOn } from "../operation/waits.ts"
import { leavingOf } from "../leaving/leavingOf.ts"
import { Payout } from "../payout/Payout.ts"
import type { NetworkTable } from "../money/Network.ts"
import { putTransaction } from "./moveTransaction.ts"
import { type GuardRequest, guardReads, reserveGuard } from "./reserveGuard.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { payoutQueue, transactionQueue } from "../transaction/queues.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { newTransaction } from "../transaction/newTransaction.ts"
import { AssetReservation } from "../operation/AssetReservation.ts"

/** Payouts to be put into one outbound transaction. */
export interface ReserveTransaction {
  readonly wallet: PayoutWallet
  /** As they were read. */
  readonly payouts: ReadonlyArray<Payout>
  /** What the network's adapter has planned for them. */
  readonly guard: GuardRequest
}

/** Whether a payout waits to be put into an outbound transaction. */
const isHeld = (view: View, id: string, network: string): Payout | undefined => {
  const payout = view.get(Payout, id)
  const status = view.get(Operation, id)?.status
  return payout?.phase === "HELD" &&
    payout.network === network &&
    payout.cancelledBy === null &&
    (status === "ACCEPTED" || status === "PROCESSING" || status === "SENT")
    ? payout
    : undefined
}

/** Those that what stands in the wallet in the books covers together, in their order: each alone may be covered. */
const coveredTogether = (view: View, place: AssetAccount, payouts: ReadonlyArray<Payout>): ReadonlyArray<Payout> => {
  const left = new Map<string, bigint>()
  return payouts.filter(({ currency, units }) => {
    const free = left.get(currency) ?? unreservedAt(view, place, currency)
    if (free < units) return false
    left.set(currency, free - units)
    return true
  })
}

/** An operation that goes on: it has begun, and waits for nothing. */
const startedChanges = (view: View, operation: Operation | undefined): ReadonlyArray<Change> => {
  if (operation === undefined) return []
  const after = canMove(operation, "started") ? moved(view, operation, "started") : goingOn(operation)
  return after === operation ? [] : [putRecord(Operation, after)]
}

/**
 * Puts payouts into one outbound transaction and reserves what it uses up, in one commit. What does not wait any more, or may not leave
 * (`mayNotLeave`), is left out; replies null where nothing is left. `stale` and `plan_invalid` as `reserveGuard` refuses its plan.
 */
export const reserveTransaction = (
  { payouts: waiting, guard: request, wallet: read }: ReserveTransaction,
  networks: NetworkTable
): Command<OutboundTransaction | null> => ({
  name: "ReserveTransaction",
  reads: [
    readRecord(PayoutWallet, read.id),
    readGroup(AssetReservation, `chain:${read.network}:payouts`),
    ...guardReads(read.network, request),
    ...waiting.map(leavingOf).flatMap(leaveReads)
  ],
  decide: (view) => {
    const { network } = read
    const wallet = view.get(PayoutWallet, read.id)
    const objections = objectionsTo(view, waiting.map(leavingOf))
    const ids = [...new Set(waiting.map(({ operationId }) => operationId))].filter((id) => !objections.has(id))
    const held = ids.flatMap((id) => isHeld(view, id, network) ?? [])
    const payouts = coveredTogether(view, `chain:${network}:payouts`, held)
    if (wallet === undefined || payouts.length === 0) return Result.succeed({ changes: [], reply: null })
    const id = view.newId()
    const reserved = reserveGuard(view, {
      traits: networks.of(network),
      request,
      walletId: wallet.id,
      transactionId: id,
      payments: payouts
    })
    if (Result.isFailure(reserved)) return Result.fail(reserved.failure)
    const { utxos, counter, counterId, guard } = reserved.success
    const transaction = newTransaction(view, {
      id,
      network,
      purpose: "PAYOUT",
      walletId: wallet.id,
      from: wallet.address,
      guard,
      counterId,
      payments: payouts.map(({ contract, memo, operationId, to, units }) => ({
        operationId,
        to,
        contract,
        units,
        memo
      })),
      trustlines: [],
      drain: false,
      salt: wallet.nextSalt
    })
    const put = putTransaction(view, null, transaction, counter).map((change): Change =>
      // a wallet's salt grows with every outbound transaction that it pays, whoever lent the number
      isPut(PayoutWallet, change) && change.record.id === wallet.id
        ? putRecord(PayoutWallet, { ...change.record, nextSalt: wallet.nextSalt + 1 })
        : change
    )
    return Result.succeed({
      changes: [
        ...put,
        ...utxos,
        ...payouts.flatMap((payout): ReadonlyArray<Change> => {
          return [
            putRecord(Payout, {
              ...payout,
              phase: "RESERVED",
              transactionId: id,
              attempts: payout.attempts + 1,
              waits: null
            }),
            ...startedChanges(view, view.get(Operation, payout.operationId)),
            unschedule(payoutQueue(network), payout.operationId)
          ]
        }),
        schedule(transactionQueue(network), id, view.now)
      ],
      reply: transaction
    })
  }
})
