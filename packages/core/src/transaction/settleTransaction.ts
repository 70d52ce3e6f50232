import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import type { TransactionStatus } from "../port/ChainSender.ts"
import { endTransaction } from "./endTransaction.ts"
import { isIdle, type OutboundTransaction } from "./OutboundTransaction.ts"
import { isPlausibleCost } from "./plausibleCost.ts"
import type { Ending, PurposeRule } from "./PurposeRule.ts"
import { TransactionAttempt } from "./TransactionAttempt.ts"
import { feeLegs, movementLegs, postedTo } from "./transactionLegs.ts"

/** The word of the chain that an attempt of an outbound transaction is final. */
export interface Settlement extends Ending {
  readonly transaction: OutboundTransaction
  readonly status: Extract<TransactionStatus, { readonly _tag: "Final" }>
}

/** Why an attempt cannot have cost what a node tells, in words; undefined where it can, or where nobody knows what was signed for. */
const implausibleCost = (attempt: TransactionAttempt, fee: bigint): string | undefined =>
  isPlausibleCost(attempt, fee)
    ? undefined
    : `The node says that ${attempt.hash} cost ${fee}, and ${attempt.feeMax} was the most that was signed for: ask another node.`

/**
 * What follows from a final attempt of an outbound transaction: it ends, what it moved and cost is booked, and its purpose is told. Where
 * what it is for was given up, it moved that all the same or nothing, whichever attempt it is that is final.
 * Fails with what a person has to find out where it cannot be said, or where its cost cannot be so.
 */
export const settleTransaction = (
  view: View,
  rule: PurposeRule,
  { currencies, evidence = [], status, transaction }: Settlement
): Result.Result<ReadonlyArray<Change>, string> => {
  const attempt = view.group(TransactionAttempt, transaction.id).find(({ hash }) => hash === status.hash)
  if (attempt === undefined) {
    return Result.fail(`The chain shows ${status.hash}, which was not signed for this outbound transaction.`)
  }
  const strange = implausibleCost(attempt, status.fee)
  if (strange !== undefined) return Result.fail(strange)
  const outcome = status.effect === "reverted" ? "reverted" : "done"
  const cost = feeLegs(transaction, status.fee, currencies)
  const settled = rule.settled(view, transaction, { attempt, cost, currencies, evidence, status })
  const idle = isIdle(transaction, status.hash)
  const payments = idle ? [] : transaction.payments
  return Result.map(settled, ({ bearsCost, changes }) => [
    ...endTransaction(view, rule, {
      transaction,
      outcome,
      patch: {
        fee: status.fee,
        blockNumber: status.blockNumber,
        freed: [],
        ...(idle ? { payments } : { givenUpAfter: null })
      }
    }),
    ...changes,
    ...postedTo(transaction, [
      ...(outcome === "done" ? movementLegs({ ...transaction, payments }, status.fee, currencies) : []),
      ...(bearsCost ? [] : cost)
    ])
  ])
}
