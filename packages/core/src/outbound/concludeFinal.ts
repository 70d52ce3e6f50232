import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import { of } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { divide } from "../money/Rate.ts"
import { settlePayout } from "../payout/endPayout.ts"
import { type PayoutFailure, provenBy } from "../payout/payoutDetails.ts"
import type { Fate } from "../port/ChainSender.ts"
import { endSpend } from "./endSpend.ts"
import { evidenceOf, type FoundEvidence } from "./evidenceOf.ts"
import { cancelledOr, failOpen, type OpenPayout, openPayouts } from "./openPayouts.ts"
import type { Spend } from "./Spend.ts"
import { bearerOf, feeLegs, movementLegs, postedTo } from "./spendLegs.ts"

/** What an end is drawn with. */
export interface Concluding {
  readonly currencies: CurrencyTable
  /** The transactions that were given as evidence, and that the chain was asked about. None where absent. */
  readonly evidence?: ReadonlyArray<string>
}

const noEvidence: FoundEvidence = { _tag: "Payments", payments: [] }

/**
 * What follows from a final transaction of a spend: the payouts that it made are settled, the others fail. Fails with what a person has
 * to find out where it cannot be said.
 */
export const concludeFinal = (
  view: View,
  spend: Spend,
  { currencies, evidence: asked = [] }: Concluding,
  fate: Extract<Fate, { readonly _tag: "Final" }>
): Result.Result<ReadonlyArray<Change>, string> => {
  const transaction = view.recordGroup("SentTransaction", spend.id).find(({ hash }) => hash === fate.hash)
  if (transaction === undefined) {
    return Result.fail(`The chain shows ${fate.hash}, which was not signed for this spend.`)
  }
  const pairs = openPayouts(view, spend)
  const claimed = pairs.filter(({ operation }) => transaction.pays.includes(operation.id))
  const missing = fate.effect === "missing"
  const found = missing ? evidenceOf(view, spend, pairs, asked) : noEvidence
  if (found._tag === "Puzzle") return Result.fail(found.problem)
  const evidenceFor = ({ operation }: OpenPayout) =>
    found.payments.find((one) => one.operation.id === operation.id)?.evidence
  if (missing && (claimed.length === 0 || !claimed.every(evidenceFor))) {
    return Result.fail(`${fate.hash} is final and succeeded, yet what it was to pay is not there.`)
  }
  const outcome = fate.effect === "reverted" ? "reverted" : "done"
  const coin = currencies.byAsset(spend.network, null)
  const bearer = bearerOf(spend)
  const paid = outcome === "done" ? claimed : []
  const unpaid = pairs.filter((pair) => !paid.includes(pair))
  const cost = feeLegs(spend, fate.fee, currencies)
  const share = paid.length === 0 ? 0n : divide(fate.fee, BigInt(paid.length), "up")
  const borneByPayout = paid.some(({ operation }) => operation.id === bearer)
  return Result.succeed([
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
    ...failOpen(
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
  ])
}

/** A payout that the reverted transaction was to make has failed by it; one that it left out had been cancelled. */
const cancelledOrReverted =
  (pays: ReadonlyArray<string>): ((pair: OpenPayout) => PayoutFailure) =>
  ({ operation }) =>
    pays.includes(operation.id) ? "reverted_on_chain" : "cancelled_by_operator"
