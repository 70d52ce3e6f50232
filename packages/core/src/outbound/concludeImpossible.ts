import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import { requeuePayout, settlePayout } from "../payout/endPayout.ts"
import { attemptsMax } from "../payout/Payout.ts"
import { provenBy } from "../payout/payoutDetails.ts"
import type { Fate, Outpoint } from "../port/ChainSender.ts"
import type { Concluding } from "./concludeFinal.ts"
import { replacedSpend, unusedSpend } from "./endSpend.ts"
import { evidenceOf } from "./evidenceOf.ts"
import { cancelledOr, failOpen, openPayouts } from "./openPayouts.ts"
import { coinsHeld, type Spend } from "./Spend.ts"

const takesNothing = ({ token }: Spend, unspent: ReadonlyArray<Outpoint>): boolean =>
  token._tag === "Coins" && coinsHeld({ token, freed: unspent }).length === 0

/**
 * What follows from the proof that nothing of a spend can take effect: its payouts fail, or are tried again where it has expired, but for
 * those that another transaction is proven to have made. Fails with what a person has to find out where it cannot be said.
 */
export const concludeImpossible = (
  view: View,
  spend: Spend,
  { currencies, evidence: asked = [] }: Concluding,
  fate: Extract<Fate, { readonly _tag: "Impossible" }>
): Result.Result<ReadonlyArray<Change>, string> => {
  const { unspent = [] } = fate
  if (fate.reason === "replaced_on_chain" && takesNothing(spend, unspent)) {
    return Result.fail(`${fate.by ?? "A foreign transaction"} has taken its coins, and all are unspent.`)
  }
  const open = openPayouts(view, spend)
  const found = evidenceOf(view, spend, open, asked)
  if (found._tag === "Puzzle") return Result.fail(found.problem)
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
    return Result.succeed([
      ...replacedSpend(view, spend, unspent),
      ...made,
      ...failOpen(view, currencies, pairs, cancelledOr(spend, "replaced_on_chain"))
    ])
  }
  const again = pairs.filter(
    ({ payout }) =>
      payout.cancelledBy === null && !spend.cancelled.includes(payout.operationId) && payout.attempts < attemptsMax
  )
  const over = pairs.filter((pair) => !again.includes(pair))
  return Result.succeed([
    ...unusedSpend(view, spend, "expired"),
    ...made,
    ...again.flatMap(({ operation, payout }): ReadonlyArray<Change> => [
      ...requeuePayout(payout, view.now, { earlierSpends: [...payout.earlierSpends, spend.id] }),
      // that this attempt came to nothing is proven: a doubt that there was is over
      ...(operation.unresolved
        ? [{ _tag: "OperationPut", operation: { ...operation, unresolved: false } } as const]
        : [])
    ]),
    ...failOpen(view, currencies, over, cancelledOr(spend, "expired_unsent"))
  ])
}
