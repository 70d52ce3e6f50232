import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import { requeuePayout, settlePayout } from "../payout/endPayout.ts"
import { attemptsMax } from "../payout/Payout.ts"
import { provenBy } from "../payout/payoutDetails.ts"
import type { TransactionStatus } from "../port/ChainSender.ts"
import type { Outpoint } from "../port/Utxo.ts"
import type { Settling } from "./settleTransaction.ts"
import { endReplaced, endUnused } from "./endTransaction.ts"
import { evidenceOf } from "./evidenceOf.ts"
import { cancelledOr, failOpen, openPayouts } from "./openPayouts.ts"
import { utxosHeld, type OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import { putRecord } from "../engine/Records.ts"
import { Operation } from "../operation/Operation.ts"

const takesNothing = ({ guard }: OutboundTransaction, unspent: ReadonlyArray<Outpoint>): boolean =>
  guard._tag === "Utxos" && utxosHeld({ guard, freed: unspent }).length === 0

/**
 * What follows from the proof that nothing of an outbound transaction can take effect: its payouts fail, or are tried again where it has expired, but for
 * those that another transaction is proven to have made. Fails with what a person has to find out where it cannot be said.
 */
export const invalidateTransaction = (
  view: View,
  transaction: OutboundTransaction,
  { currencies, evidence: asked = [] }: Settling,
  status: Extract<TransactionStatus, { readonly _tag: "Invalidated" }>
): Result.Result<ReadonlyArray<Change>, string> => {
  const { unspent = [] } = status
  if (status.reason === "replaced_on_chain" && takesNothing(transaction, unspent)) {
    return Result.fail(`${status.by ?? "A foreign transaction"} has taken its coins, and all are unspent.`)
  }
  const open = openPayouts(view, transaction)
  const found = evidenceOf(view, transaction, open, asked)
  if (found._tag === "Inconclusive") return Result.fail(found.problem)
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
  if (status.reason === "replaced_on_chain") {
    return Result.succeed([
      ...endReplaced(view, transaction, unspent),
      ...made,
      ...failOpen(view, currencies, pairs, cancelledOr(transaction, "replaced_on_chain"))
    ])
  }
  const again = pairs.filter(
    ({ payout }) =>
      payout.cancelledBy === null &&
      !transaction.cancelled.includes(payout.operationId) &&
      payout.attempts < attemptsMax
  )
  const over = pairs.filter((pair) => !again.includes(pair))
  return Result.succeed([
    ...endUnused(view, transaction, "expired"),
    ...made,
    ...again.flatMap(({ operation, payout }): ReadonlyArray<Change> => [
      ...requeuePayout(payout, view.now, { earlierTransactions: [...payout.earlierTransactions, transaction.id] }),
      // that this attempt came to nothing is proven: a doubt that there was is over
      ...(operation.unresolved ? [putRecord(Operation, { ...operation, unresolved: false })] : [])
    ]),
    ...failOpen(view, currencies, over, cancelledOr(transaction, "expired_unsent"))
  ])
}
