import { Result } from "effect"
import { unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import { putRecord, readGroup } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import type { NetworkTable } from "../money/Network.ts"
import { AssetReservation } from "../operation/AssetReservation.ts"
import { canMove, moved } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { unreservedAt } from "../operation/reserveAssets.ts"
import { goingOn } from "../operation/waits.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import type { GuardRequest } from "../transaction/reserveGuard.ts"
import { reserveReads, reserveTransaction } from "../transaction/reserveTransaction.ts"
import { leavingOf, leaveReads, objectionsTo } from "./mayPayoutLeave.ts"
import { Payout } from "./Payout.ts"
import { payoutQueue } from "./payoutQueue.ts"
import { payoutRule } from "./payoutRule.ts"
import { mayBePaid } from "./settleHeld.ts"
import { standingFor, standingReads } from "./standingEvidence.ts"

/** Payouts to be put into one outbound transaction. */
export interface ReservePayouts {
  readonly wallet: PayoutWallet
  /** As they were read. */
  readonly payouts: ReadonlyArray<Payout>
  /** The transactions that were given as evidence for them, as they were read (`hashesGiven`); none where absent. */
  readonly given?: ReadonlyArray<string>
  /** What the network's adapter has planned for them. */
  readonly guard: GuardRequest
  /** What the wallet is expected to pay the network for it; 0 where absent. */
  readonly fee?: bigint
}

/** Whether a payout waits to be put into an outbound transaction. */
const isHeld = (view: View, id: string, network: string): Payout | undefined => {
  const payout = view.get(Payout, id)
  const status = view.get(Operation, id)?.status
  return payout?.transactionId === null &&
    payout.network === network &&
    payout.cancelledBy === null &&
    (status === "ACCEPTED" || status === "PROCESSING" || status === "SENT")
    ? payout
    : undefined
}

/** Whether something that was signed for a payout before may have paid it: nobody looked, or evidence speaks for that. */
const mayHaveBeenPaid = (
  view: View,
  payout: Payout,
  read: { readonly given: ReadonlyArray<string>; readonly waiting: ReadonlyArray<Payout> }
): boolean =>
  mayBePaid(payout) &&
  (!read.waiting.some((one) => one.operationId === payout.operationId && mayBePaid(one)) ||
    standingFor(view, payout, read.given) !== undefined)

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
 * (`mayNotLeave`), or that evidence speaks for (`standingFor`), is left out; replies null where nothing is left. `stale` and `plan_invalid` as
 * `reserveGuard` refuses its plan.
 */
export const reservePayouts = (
  { fee = 0n, given = [], payouts: waiting, guard: request, wallet: read }: ReservePayouts,
  networks: NetworkTable
): Command<OutboundTransaction | null> => ({
  name: "ReservePayouts",
  reads: [
    ...reserveReads(read, request),
    readGroup(AssetReservation, `chain:${read.network}:payouts`),
    ...waiting.map(leavingOf).flatMap(leaveReads),
    ...waiting.filter(mayBePaid).flatMap(({ operationId }) => standingReads(read.network, operationId, given))
  ],
  decide: (view) => {
    const { network } = read
    const wallet = view.get(PayoutWallet, read.id)
    const objections = objectionsTo(view, waiting.map(leavingOf), networks.of(network))
    const ids = [...new Set(waiting.map(({ operationId }) => operationId))].filter((id) => !objections.has(id))
    const held = ids.flatMap((id) => isHeld(view, id, network) ?? [])
    const unpaid = held.filter((payout) => !mayHaveBeenPaid(view, payout, { given, waiting }))
    const payouts = coveredTogether(view, `chain:${network}:payouts`, unpaid)
    if (wallet === undefined || payouts.length === 0) return Result.succeed({ changes: [], reply: null })
    const reserved = reserveTransaction(view, payoutRule, {
      wallet,
      purpose: "PAYOUT",
      from: wallet.address,
      guard: request,
      fee,
      traits: networks.of(network),
      payments: payouts.map(({ contract, memo, operationId, to, units }) => ({
        operationId,
        to,
        contract,
        units,
        memo
      })),
      trustlines: []
    })
    return Result.map(reserved, ({ changes, transaction }) => ({
      changes: [
        ...changes,
        ...payouts.flatMap((payout): ReadonlyArray<Change> => [
          putRecord(Payout, { ...payout, transactionId: transaction.id, attempts: payout.attempts + 1, waits: null }),
          ...startedChanges(view, view.get(Operation, payout.operationId)),
          unschedule(payoutQueue(network), payout.operationId)
        ])
      ],
      reply: transaction
    }))
  }
})
