import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import { of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { divide } from "../money/Rate.ts"
import { settlePayout } from "../payout/endPayout.ts"
import { type PayoutFailure, provenBy } from "../payout/payoutDetails.ts"
import type { TransactionStatus } from "../port/ChainSender.ts"
import { endTransaction } from "./endTransaction.ts"
import { evidenceOf, type FoundEvidence } from "./evidenceOf.ts"
import { cancelledOr, failOpen, type OpenPayout, openPayouts } from "./openPayouts.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { bearerOf, feeLegs, movementLegs, postedTo } from "../transaction/transactionLegs.ts"
import { TransactionAttempt } from "../transaction/TransactionAttempt.ts"

/** What an end is drawn with. */
export interface Settling {
  readonly currencies: CurrencyTable
  /** The transactions that were given as evidence, and that the chain was asked about. None where absent. */
  readonly evidence?: ReadonlyArray<string>
}

const noEvidence: FoundEvidence = { _tag: "Payments", payments: [] }

/**
 * What follows from a final transaction of an outbound transaction: the payouts that it made are settled, the others fail. Fails with what a person has
 * to find out where it cannot be said.
 */
export const settleTransaction = (
  view: View,
  transaction: OutboundTransaction,
  { currencies, evidence: asked = [] }: Settling,
  status: Extract<TransactionStatus, { readonly _tag: "Final" }>
): Result.Result<ReadonlyArray<Change>, string> => {
  const attempt = view.group(TransactionAttempt, transaction.id).find(({ hash }) => hash === status.hash)
  if (attempt === undefined) {
    return Result.fail(`The chain shows ${status.hash}, which was not signed for this outbound transaction.`)
  }
  const pairs = openPayouts(view, transaction)
  const claimed = pairs.filter(({ operation }) => attempt.pays.includes(operation.id))
  const missing = status.effect === "missing"
  const found = missing ? evidenceOf(view, transaction, pairs, asked) : noEvidence
  if (found._tag === "Inconclusive") return Result.fail(found.problem)
  const evidenceFor = ({ operation }: OpenPayout) =>
    found.payments.find((one) => one.operation.id === operation.id)?.evidence
  if (missing && (claimed.length === 0 || !claimed.every(evidenceFor))) {
    return Result.fail(`${status.hash} is final and succeeded, yet what it was to pay is not there.`)
  }
  const outcome = status.effect === "reverted" ? "reverted" : "done"
  const native = currencies.byAsset(transaction.network, null)
  const bearer = bearerOf(transaction)
  const paid = outcome === "done" ? claimed : []
  const unpaid = pairs.filter((pair) => !paid.includes(pair))
  const cost = feeLegs(transaction, status.fee, currencies)
  const share = paid.length === 0 ? 0n : divide(status.fee, BigInt(paid.length), "up")
  const borneByPayout = paid.some(({ operation }) => operation.id === bearer)
  return Result.succeed([
    ...endTransaction(view, transaction, outcome, { fee: status.fee, blockNumber: status.blockNumber }),
    ...paid.flatMap((pair) => {
      const evidence = evidenceFor(pair)
      return settlePayout(view, currencies, pair, {
        hash: evidence?.hash ?? status.hash,
        fee: native === undefined ? null : of(share, native.code),
        legs: pair.operation.id === bearer ? cost : [],
        ...(evidence && { details: provenBy(pair.operation, evidence) })
      })
    }),
    ...failOpen(
      view,
      currencies,
      unpaid,
      outcome === "reverted" ? cancelledOrReverted(attempt.pays) : cancelledOr(transaction, "replaced_on_chain"),
      outcome === "reverted" ? { txHash: status.hash } : {}
    ),
    ...postedTo(transaction, [
      ...(outcome === "done" ? movementLegs(transaction, status.fee, currencies) : []),
      ...(borneByPayout ? [] : cost)
    ])
  ])
}

/** A payout that the reverted transaction was to make has failed by it; one that it left out had been cancelled. */
const cancelledOrReverted =
  (pays: ReadonlyArray<string>): ((pair: OpenPayout) => PayoutFailure) =>
  ({ operation }) =>
    pays.includes(operation.id) ? "reverted_on_chain" : "cancelled_by_operator"
