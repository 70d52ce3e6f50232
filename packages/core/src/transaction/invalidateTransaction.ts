import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import type { TransactionStatus } from "../port/ChainSender.ts"
import { endReplaced, endUnused } from "./endTransaction.ts"
import type { OutboundTransaction } from "./OutboundTransaction.ts"
import type { Ending, PurposeRule } from "./PurposeRule.ts"
import { utxosSpent } from "./utxosSpent.ts"

/** The proof of the chain that no attempt of an outbound transaction can take effect. */
export interface InvalidTransaction extends Ending {
  readonly transaction: OutboundTransaction
  readonly status: Extract<TransactionStatus, { readonly _tag: "Invalidated" }>
}

/**
 * What follows from the proof that nothing of an outbound transaction can take effect: it ends, and its purpose is told. Fails with
 * what a person has to find out where it cannot be said.
 */
export const invalidateTransaction = (
  view: View,
  rule: PurposeRule,
  { currencies, evidence = [], status, transaction }: InvalidTransaction
): Result.Result<ReadonlyArray<Change>, string> => {
  const { guard } = transaction
  const replaced = status.reason === "replaced_on_chain"
  const spent = utxosSpent(guard, status)
  if (replaced && guard._tag === "Utxos" && spent.length === 0) {
    return Result.fail(`${status.by ?? "A foreign transaction"} has taken its coins, and none of them is spent.`)
  }
  return Result.map(rule.invalidated(view, transaction, { currencies, evidence, status }), (changes) => [
    ...(replaced
      ? endReplaced(view, rule, { transaction, spent })
      : endUnused(view, rule, { transaction, outcome: "expired" })),
    ...changes
  ])
}
