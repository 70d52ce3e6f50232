import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import type { TransactionStatus } from "../port/ChainSender.ts"
import type { Outpoint } from "../port/Utxo.ts"
import { endReplaced, endUnused } from "./endTransaction.ts"
import { utxosHeld, type OutboundTransaction } from "./OutboundTransaction.ts"
import type { Ending, PurposeRule } from "./PurposeRule.ts"

const takesNothing = ({ guard }: OutboundTransaction, unspent: ReadonlyArray<Outpoint>): boolean =>
  guard._tag === "Utxos" && utxosHeld({ guard, freed: unspent }).length === 0

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
  const { unspent = [] } = status
  const replaced = status.reason === "replaced_on_chain"
  if (replaced && takesNothing(transaction, unspent)) {
    return Result.fail(`${status.by ?? "A foreign transaction"} has taken its coins, and all are unspent.`)
  }
  return Result.map(rule.invalidated(view, transaction, { currencies, evidence, status }), (changes) => [
    ...(replaced
      ? endReplaced(view, rule, { transaction, unspent })
      : endUnused(view, rule, { transaction, outcome: "expired" })),
    ...changes
  ])
}
