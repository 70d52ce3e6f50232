import { Result } from "effect"
import { schedule } from "../engine/Agenda.ts"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Timestamp } from "../engine/Timestamp.ts"
import type { View } from "../engine/View.ts"
import { of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { divide } from "../money/Rate.ts"
import { unresolved } from "../operation/moveOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { failPayoutOf, requeuePayout, settlePayout } from "../payout/endPayout.ts"
import { attemptsMax, type Payout } from "../payout/Payout.ts"
import { provenBy } from "../payout/payoutDetails.ts"
import type { PayoutFailure } from "../payout/payoutDetails.ts"
import { countPayouts } from "../payout/payoutUsage.ts"
import type { Fate, Outpoint } from "../port/ChainSender.ts"
import { evidenceOf, evidenceReads, type FoundEvidence } from "./evidenceOf.ts"
import { endSpend, endSpendReads, replacedSpend, unusedSpend } from "./endSpend.ts"
import { canMoveSpend, followSpend, moveSpend, putSpend, spendReads } from "./moveSpend.ts"
import { spendTopic } from "./sendTopic.ts"
import { operationsOf, type Spend } from "./Spend.ts"
import { bearerOf, feeLegs, movementLegs, postedTo } from "./spendLegs.ts"

/** What the chain says of the transactions of a spend. */
export interface RecordFate {
  /** As it was read. */
  readonly spend: Spend
  /** The hashes that the chain was asked about: where another was signed since, what was said counts for nothing. */
  readonly asked: ReadonlyArray<string>
  readonly fate: Fate
  /** The transactions that were given as evidence for its payouts, and that the chain was asked about. None where absent. */
  readonly evidence?: ReadonlyArray<string>
  /** When to look again, where this is not the end. */
  readonly nextAt: Timestamp
  /** For how long a spend may be in no block before its outcome counts as unknown, in milliseconds. */
  readonly unresolvedAfterMs: number
  readonly currencies: CurrencyTable
}

interface Pair {
  readonly operation: Operation
  readonly payout: Payout
}

/** The payouts of a spend that are still in it and not over. */
const openPayouts = (view: View, spend: Spend): ReadonlyArray<Pair> =>
  operationsOf(spend).flatMap((id) => {
    const [operation, payout] = [view.operation(id), view.record("Payout", id)]
    return operation === undefined || payout?.spendId !== spend.id || isOver(operation.status)
      ? []
      : [{ operation, payout }]
  })

const flag = (view: View, spend: Spend, currencies: CurrencyTable): ReadonlyArray<Change> =>
  openPayouts(view, spend).flatMap(({ operation }) => unresolved(view, currencies, operation).changes)

/** What cannot be concluded is shown and looked at again; a person has to find out what it means. */
const puzzled = (view: View, spend: Spend, command: RecordFate, problem: string): ReadonlyArray<Change> => [
  ...putSpend(view, spend, { ...spend, problem }),
  ...flag(view, spend, command.currencies),
  schedule(spendTopic(spend.network), spend.id, command.nextAt)
]

const waiting = (view: View, spend: Spend, command: RecordFate): ReadonlyArray<Change> => {
  const { currencies, nextAt, unresolvedAfterMs } = command
  const lost = spend.phase === "INCLUDED" ? moveSpend(view, spend, "lost", { blockNumber: null }) : undefined
  const since = spend.sentAt ?? spend.signedAt ?? spend.reservedAt
  return [
    ...(lost === undefined ? [] : [...lost.changes, ...followSpend(view, lost.spend)]),
    ...(view.now - since >= unresolvedAfterMs ? flag(view, spend, currencies) : []),
    schedule(spendTopic(spend.network), spend.id, nextAt)
  ]
}

const included = (
  view: View,
  spend: Spend,
  command: RecordFate,
  { blockNumber }: Extract<Fate, { readonly _tag: "Included" }>
): ReadonlyArray<Change> => {
  const again = schedule(spendTopic(spend.network), spend.id, command.nextAt)
  if (spend.phase === "INCLUDED" && spend.blockNumber === blockNumber) return [again]
  const after = moveSpend(view, spend, "included", { blockNumber, asked: null, problem: null })
  return [...after.changes, ...followSpend(view, after.spend), again]
}

/** Fails some payouts of a spend, each for its reason. */
const fail = (
  view: View,
  currencies: CurrencyTable,
  pairs: ReadonlyArray<Pair>,
  reasonOf: (pair: Pair) => PayoutFailure,
  patch: Partial<Operation> = {}
): ReadonlyArray<Change> => [
  ...pairs.flatMap((pair) => failPayoutOf(view, currencies, pair, reasonOf(pair), patch)),
  ...countPayouts(
    view,
    pairs.map(({ operation }) => operation),
    -1n
  )
]

const cancelledOr =
  (spend: Spend, reason: PayoutFailure): ((pair: Pair) => PayoutFailure) =>
  ({ payout }) =>
    spend.cancelled.includes(payout.operationId) || payout.cancelledBy !== null ? "cancelled_by_operator" : reason

const noEvidence: FoundEvidence = { _tag: "Payments", payments: [] }

const final = (
  view: View,
  spend: Spend,
  command: RecordFate,
  fate: Extract<Fate, { readonly _tag: "Final" }>
): ReadonlyArray<Change> => {
  const { currencies } = command
  const transaction = view.recordGroup("SentTransaction", spend.id).find(({ hash }) => hash === fate.hash)
  if (transaction === undefined) {
    return puzzled(view, spend, command, `The chain shows ${fate.hash}, which was not signed for this spend.`)
  }
  const pairs = openPayouts(view, spend)
  const claimed = pairs.filter(({ operation }) => transaction.pays.includes(operation.id))
  const missing = fate.effect === "missing"
  const found = missing ? evidenceOf(view, spend, pairs, command.evidence ?? []) : noEvidence
  if (found._tag === "Puzzle") return puzzled(view, spend, command, found.problem)
  const evidenceFor = ({ operation }: Pair) => found.payments.find((one) => one.operation.id === operation.id)?.evidence
  if (missing && (claimed.length === 0 || !claimed.every(evidenceFor))) {
    return puzzled(view, spend, command, `${fate.hash} is final and succeeded, yet what it was to pay is not there.`)
  }
  const outcome = fate.effect === "reverted" ? "reverted" : "done"
  const coin = currencies.byAsset(spend.network, null)
  const bearer = bearerOf(spend)
  const paid = outcome === "done" ? claimed : []
  const unpaid = pairs.filter((pair) => !paid.includes(pair))
  const cost = feeLegs(spend, fate.fee, currencies)
  const share = paid.length === 0 ? 0n : divide(fate.fee, BigInt(paid.length), "up")
  const borneByPayout = paid.some(({ operation }) => operation.id === bearer)
  return [
    ...endSpend(view, spend, outcome, { fee: fate.fee, blockNumber: fate.blockNumber }),
    ...paid.flatMap((pair) => {
      const evidence = evidenceFor(pair)
      return settlePayout(view, currencies, pair, {
        hash: evidence?.hash ?? fate.hash,
        fee: coin === undefined ? null : of(share, coin.code),
        legs: pair.operation.id === bearer ? cost : [],
        ...(evidence && { details: provenBy(pair.operation, evidence) })
      })
    }),
    ...fail(
      view,
      currencies,
      unpaid,
      outcome === "reverted" ? cancelledOrReverted(transaction.pays) : cancelledOr(spend, "replaced_on_chain"),
      outcome === "reverted" ? { txHash: fate.hash } : {}
    ),
    ...postedTo(spend, [
      ...(outcome === "done" ? movementLegs(spend, fate.fee, currencies) : []),
      ...(borneByPayout ? [] : cost)
    ])
  ]
}

/** A payout that the reverted transaction was to make has failed by it; one that it left out had been cancelled. */
const cancelledOrReverted =
  (pays: ReadonlyArray<string>): ((pair: Pair) => PayoutFailure) =>
  ({ operation }) =>
    pays.includes(operation.id) ? "reverted_on_chain" : "cancelled_by_operator"

const takesNothing = ({ token }: Spend, unspent: ReadonlyArray<Outpoint>): boolean =>
  token._tag === "Coins" &&
  token.coins.every((coin) => unspent.some(({ txHash, vout }) => txHash === coin.txHash && vout === coin.vout))

const impossible = (
  view: View,
  spend: Spend,
  command: RecordFate,
  fate: Extract<Fate, { readonly _tag: "Impossible" }>
): ReadonlyArray<Change> => {
  const { currencies } = command
  const { unspent = [] } = fate
  if (fate.reason === "replaced_on_chain" && takesNothing(spend, unspent)) {
    return puzzled(
      view,
      spend,
      command,
      `${fate.by ?? "A foreign transaction"} has taken its coins, and all are unspent.`
    )
  }
  const open = openPayouts(view, spend)
  const found = evidenceOf(view, spend, open, command.evidence ?? [])
  if (found._tag === "Puzzle") return puzzled(view, spend, command, found.problem)
  const made = found.payments.flatMap(({ evidence, operation, payout }) =>
    settlePayout(
      view,
      currencies,
      { operation, payout },
      {
        hash: evidence.hash,
        fee: null,
        legs: [],
        details: provenBy(operation, evidence)
      }
    )
  )
  const pairs = open.filter(({ operation }) => !found.payments.some((one) => one.operation.id === operation.id))
  if (fate.reason === "replaced_on_chain") {
    return [
      ...replacedSpend(view, spend, unspent),
      ...made,
      ...fail(view, currencies, pairs, cancelledOr(spend, "replaced_on_chain"))
    ]
  }
  const again = pairs.filter(
    ({ payout }) =>
      payout.cancelledBy === null && !spend.cancelled.includes(payout.operationId) && payout.attempts < attemptsMax
  )
  const over = pairs.filter((pair) => !again.includes(pair))
  return [
    ...unusedSpend(view, spend, "expired"),
    ...made,
    ...again.flatMap(({ operation, payout }): ReadonlyArray<Change> => [
      ...requeuePayout(payout, view.now, { earlierSpends: [...payout.earlierSpends, spend.id] }),
      // that this attempt came to nothing is proven: a doubt that there was is over
      ...(operation.unresolved
        ? [{ _tag: "OperationPut", operation: { ...operation, unresolved: false } } as const]
        : [])
    ]),
    ...fail(view, currencies, over, cancelledOr(spend, "expired_unsent"))
  ]
}

/**
 * Whether what operators know counts beside what the chain says of a spend: nothing that was signed for it has made a payment, or
 * ever can.
 */
export const asksForEvidence = (fate: Fate): boolean =>
  fate._tag === "Impossible" || (fate._tag === "Final" && fate.effect === "missing")

/**
 * Draws what follows from the chain's word on a spend. Payouts are settled by a final transaction that made them, and failed by
 * one that reverted or by the proof that none can take effect; an expired one is tried again in a fresh spend, up to `attemptsMax`
 * times. One that another transaction is proven to have made, which an operator gave as evidence, is settled by that once none of its
 * own can take effect, or its own has and the payment is not there. Everything else is not an end: it waits, flagged unresolved where it takes too long or contradicts itself. Sending it
 * twice concludes once. Replies with the spend as it was before where it is not over, else null.
 */
export const recordFate = (command: RecordFate): Command<Spend | null> => ({
  name: "RecordFate",
  reads: [
    ...spendReads(command.spend),
    ...endSpendReads(command.spend, command.currencies),
    ...(asksForEvidence(command.fate) ? evidenceReads(command.spend, command.evidence ?? []) : [])
  ],
  decide: (view) => {
    const spend = view.record("Spend", command.spend.id)
    if (spend === undefined || !canMoveSpend(spend, "concluded")) return Result.succeed({ changes: [], reply: null })
    const { fate } = command
    const outdated = spend.hashes.some((hash) => !command.asked.includes(hash))
    // what is final stays so, whatever was signed since; the rest was said of fewer transactions than there are
    if (outdated && fate._tag !== "Final") return Result.succeed({ changes: [], reply: spend })
    switch (fate._tag) {
      case "Waiting":
        return Result.succeed({ changes: waiting(view, spend, command), reply: spend })
      case "Included":
        return Result.succeed({ changes: included(view, spend, command, fate), reply: spend })
      case "Final":
        return Result.succeed({ changes: final(view, spend, command, fate), reply: null })
      case "Impossible":
        return Result.succeed({ changes: impossible(view, spend, command, fate), reply: null })
    }
  }
})
