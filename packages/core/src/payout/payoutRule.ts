import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { View } from "../engine/View.ts"
import type { Leaving } from "../leaving/rules.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import { countUsage } from "../limit/limitedUsage.ts"
import type { Amount } from "../money/Amount.ts"
import { divide } from "../money/Rate.ts"
import { AssetReservation } from "../operation/AssetReservation.ts"
import { canMove, moved } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { reserveAssets } from "../operation/reserveAssets.ts"
import { waiting } from "../operation/waits.ts"
import { operationsOf, type OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { Reached } from "../environment/reach.ts"
import { effectMissing, nothingFollows, type PurposeRule, type SigningConditions } from "../transaction/PurposeRule.ts"
import { bearerOf } from "../transaction/transactionLegs.ts"
import { endReads, failPayoutOf, requeuePayout, settlePayout } from "./endPayout.ts"
import { evidenceOf, evidenceReads } from "./evidenceOf.ts"
import { askAfterEnd } from "./hearAfterEnd.ts"
import { holdPayout } from "./holdPayout.ts"
import { leaveReads, objectionsTo } from "./mayPayoutLeave.ts"
import { cancelledOr, failOpen, flagOpen, type OpenPayout, openPayouts } from "./openPayouts.ts"
import { attemptsMax, Payout } from "./Payout.ts"
import { PayoutEvidence } from "./PayoutEvidence.ts"
import { paidFrom, type PayoutFailure } from "./payoutDetails.ts"
import { feeIn, settleProven } from "./settleProven.ts"
import { paidBefore } from "./standingEvidence.ts"

const placeOf = ({ network }: Pick<OutboundTransaction, "network">): AssetAccount => `chain:${network}:payouts`

const reads: PurposeRule["reads"] = (transaction) => [
  readGroup(AssetReservation, placeOf(transaction)),
  ...operationsOf(transaction).flatMap((id): ReadonlyArray<Read> => [readRecord(Payout, id), readRecord(Operation, id)])
]

const payoutEndReads: PurposeRule["endReads"] = (transaction, currencies) => {
  const { network, payments } = transaction
  return [
    ...operationsOf(transaction).map((id) => readGroup(PayoutEvidence, id)),
    ...payments.flatMap(({ contract, memo, operationId, to }) => {
      const currency = currencies.byAsset(network, contract)?.code
      return operationId === null || currency === undefined ? [] : endReads({ currency, memo, network, to })
    })
  ]
}

/**
 * What an open outbound transaction takes from the wallet in the books once it is done. Its network fee is known only then, and what
 * moves between places of the service is not owed to anybody: neither is reserved.
 */
const reservedBy = (view: View, transaction: OutboundTransaction | null): ReadonlyArray<Amount> =>
  transaction === null || transaction.phase === "FINAL"
    ? []
    : operationsOf(transaction).flatMap((id) => {
        const payout = view.get(Payout, id)
        return payout === undefined ? [] : [{ currency: payout.currency, units: payout.units }]
      })

const changed: PurposeRule["changed"] = (view, before, after) =>
  reserveAssets(view, placeOf(after), [
    ...reservedBy(view, before).map(({ currency, units }) => ({ currency, units: -units })),
    ...reservedBy(view, after)
  ])

/** Every payout that an attempt pays names its outbound transaction: then no other can pay it. */
const contradiction: PurposeRule["contradiction"] = (view, transaction, pays) => {
  const strange = pays.find((id) => view.get(Payout, id)?.transactionId !== transaction.id)
  return strange === undefined ? undefined : `Payout ${strange} is in another outbound transaction.`
}

const signed: PurposeRule["signed"] = (view, { from }, { hash, pays }) =>
  pays.flatMap((id) => {
    const operation = view.get(Operation, id)
    return operation === undefined
      ? []
      : [putRecord(Operation, { ...operation, providerReference: hash, details: paidFrom(operation, from) })]
  })

const sent: PurposeRule["sent"] = (view, transaction) =>
  operationsOf(transaction).flatMap((id) => {
    const operation = view.get(Operation, id)
    return operation !== undefined && canMove(operation, "sent")
      ? [putRecord(Operation, moved(view, operation, "sent"))]
      : []
  })

/** A payout that the reverted transaction was to make has failed by it; one that it left out had been cancelled. */
const cancelledOrReverted =
  (pays: ReadonlyArray<string>): ((pair: OpenPayout) => PayoutFailure) =>
  ({ operation }) =>
    pays.includes(operation.id) ? "reverted_on_chain" : "cancelled_by_operator"

/**
 * The payouts that the attempt has made are settled, and those that it has not made and that another transaction is proven to have made; the others
 * fail. Where what it was to make is not there, it has made those that are proven. The chain is asked about what else was given (`askAfterEnd`).
 */
const settled: PurposeRule["settled"] = (view, transaction, { attempt, cost, currencies, evidence = [], status }) => {
  const pairs = openPayouts(view, transaction)
  const claimed = pairs.filter(({ operation }) => attempt.pays.includes(operation.id))
  const isReverted = status.effect === "reverted"
  const paid = isReverted ? [] : claimed
  // what it has made needs no evidence
  const weighed = status.effect === "done" ? pairs.filter((pair) => !paid.includes(pair)) : pairs
  const found = evidenceOf(view, transaction, {
    pairs: weighed,
    asked: evidence,
    known: status.effect === "done" ? status.hash : null,
    networks: currencies.networks
  })
  if (found._tag === "Inconclusive") return Result.fail(found.problem)
  const evidenceFor = ({ operation }: OpenPayout) =>
    found.payments.find((one) => one.operation.id === operation.id)?.evidence
  if (status.effect === "missing" && (claimed.length === 0 || !claimed.every(evidenceFor)))
    return Result.fail(effectMissing(status.hash))
  const native = currencies.byAsset(transaction.network, null)
  const bearer = bearerOf(transaction)
  const bears = ({ operation }: OpenPayout) => !isReverted && operation.id === bearer
  const share = paid.length === 0 ? 0n : divide(status.fee, BigInt(paid.length), "up")
  const unpaid = pairs.filter((pair) => !paid.includes(pair))
  const made = unpaid.flatMap((pair) => {
    const proof = evidenceFor(pair)
    return proof === undefined ? [] : [{ pair, proof }]
  })
  return Result.succeed({
    changes: [
      ...paid.flatMap((pair) => {
        const proof = evidenceFor(pair)
        const legs = bears(pair) ? cost : []
        return proof === undefined
          ? settlePayout(view, currencies, pair, { hash: status.hash, fee: feeIn(native, share), legs })
          : settleProven(view, transaction, pair, { currencies, proof, share, legs })
      }),
      ...made.flatMap(({ pair, proof }) => {
        const borne = bears(pair) ? { share: status.fee, legs: cost } : { share: null, legs: [] }
        return settleProven(view, transaction, pair, { currencies, proof, ...borne })
      }),
      ...failOpen(
        view,
        currencies,
        unpaid.filter((pair) => evidenceFor(pair) === undefined),
        isReverted ? cancelledOrReverted(attempt.pays) : cancelledOr(transaction, "replaced_on_chain"),
        isReverted ? { txHash: status.hash } : {}
      ),
      ...askAfterEnd(view, pairs)
    ],
    bearsCost: [...paid, ...made.map(({ pair }) => pair)].some(bears)
  })
}

/** Whether a payout of an expired transaction is tried again: as often as it may be. Else it fails. */
export const isTriedAgain = (transaction: OutboundTransaction, payout: Payout): boolean =>
  payout.cancelledBy === null && !transaction.cancelled.includes(payout.operationId) && payout.attempts < attemptsMax

/** Payouts fail, or are tried again where the transaction has expired, but for those that another transaction is proven to have made. */
const invalidated: PurposeRule["invalidated"] = (view, transaction, { currencies, evidence = [], status }) => {
  const open = openPayouts(view, transaction)
  const { networks } = currencies
  const found = evidenceOf(view, transaction, { pairs: open, asked: evidence, known: null, networks })
  if (found._tag === "Inconclusive") return Result.fail(found.problem)
  const made = found.payments.flatMap(({ evidence: proof, operation, payout }) =>
    settleProven(view, transaction, { operation, payout }, { currencies, proof, share: null, legs: [] })
  )
  const pairs = open.filter(({ operation }) => !found.payments.some((one) => one.operation.id === operation.id))
  if (status.reason === "replaced_on_chain") {
    return Result.succeed([
      ...made,
      ...failOpen(view, currencies, pairs, cancelledOr(transaction, "replaced_on_chain")),
      ...askAfterEnd(view, open)
    ])
  }
  const again = pairs.filter(({ payout }) => isTriedAgain(transaction, payout))
  const over = pairs.filter((pair) => !again.includes(pair))
  return Result.succeed([
    ...made,
    ...again.flatMap(({ operation, payout }): ReadonlyArray<Change> => [
      ...requeuePayout(payout, view.now, { earlierTransactions: [...payout.earlierTransactions, transaction.id] }),
      // that this attempt came to nothing is proven: a doubt that there was is over
      ...(operation.unresolved ? [putRecord(Operation, { ...operation, unresolved: false })] : [])
    ]),
    ...failOpen(view, currencies, over, cancelledOr(transaction, "expired_unsent")),
    ...askAfterEnd(
      view,
      open.filter((pair) => !again.includes(pair))
    )
  ])
}

/** Why, and when, a payout is put into another outbound transaction: at once where that is absent. */
interface Again {
  readonly reason: string
  readonly detail: string
  readonly at?: Timestamp
  readonly alone?: boolean
}

/** Nothing was signed, so it was no attempt: payouts wait for another transaction, or for an operator, or fail. Those that evidence speaks for do not yet. */
const released: PurposeRule["released"] = (view, transaction, { currencies, evidence = [], outcome }) => {
  const pairs = openPayouts(view, transaction)
  const again = (
    { operation, payout }: OpenPayout,
    { alone = false, at = view.now, detail, reason }: Again
  ): ReadonlyArray<Change> => {
    const waits = { reason, detail, since: payout.waits?.since ?? view.now, tries: (payout.waits?.tries ?? 0) + 1 }
    const told = waiting(operation, waits, waits.since)
    return [
      ...(told === operation ? [] : [putRecord(Operation, told)]),
      ...requeuePayout(payout, at, { waits, alone: payout.alone || alone, attempts: payout.attempts - 1 })
    ]
  }
  if (outcome._tag === "Fail") {
    const spokenFor = pairs.flatMap((pair) => {
      const why = paidBefore(view, pair.operation.id, evidence)
      return why === undefined ? [] : [{ pair, why }]
    })
    const over = pairs.filter((pair) => !spokenFor.some((one) => one.pair === pair))
    return [
      ...spokenFor.flatMap(({ pair, why }) => again(pair, why)),
      ...over.flatMap(({ operation, payout }) =>
        failPayoutOf(view, currencies, { operation, payout: { ...payout, transactionId: null } }, outcome.reason)
      ),
      ...countUsage(
        view,
        over.map(({ operation }) => operation),
        -1n
      )
    ]
  }
  // an operator decides once the chain was asked, which it is about what is in the queue
  const held = ({ operation, payout }: OpenPayout, why: { readonly reason: string; readonly detail: string }) => {
    const standing = paidBefore(view, operation.id, evidence)
    if (standing !== undefined) return again({ operation, payout }, standing)
    return holdPayout(view, currencies, { operation, payout: { ...payout, attempts: payout.attempts - 1 } }, why)
  }
  if (outcome._tag === "Hold") return pairs.flatMap((pair) => held(pair, outcome))
  return pairs.flatMap((pair) => {
    const why = outcome.held?.get(pair.operation.id)
    return why === undefined ? again(pair, outcome) : held(pair, why)
  })
}

/** What becomes of payouts as the outbound transactions that pay them live and end. */
export const payoutRule: PurposeRule = {
  ...nothingFollows,
  reads,
  endReads: payoutEndReads,
  evidenceReads,
  changed,
  contradiction,
  signed,
  sent,
  unresolved: flagOpen,
  settled,
  invalidated,
  released
}

/** A transaction that pays is signed only while every one of its payouts may leave. `payouts` are all of them, `through` is their network. */
export const payoutConditions = (payouts: ReadonlyArray<Leaving>, through: Reached): SigningConditions => ({
  purposes: ["PAYOUT"],
  reads: payouts.flatMap(leaveReads),
  objection: (view) => [...objectionsTo(view, payouts, through).values()].at(0)?.detail
})
