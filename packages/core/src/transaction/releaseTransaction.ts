import { Result } from "effect"
import type { Timestamp } from "../base/Timestamp.ts"
import { schedule } from "../engine/Job.ts"
import type { Command } from "../engine/Command.ts"
import { signedUnknownUntil } from "./beingSigned.ts"
import type { Outpoint } from "../port/Utxo.ts"
import { endReplaced, endTransactionReads, endUnused } from "./endTransaction.ts"
import { transactionReads } from "./moveTransaction.ts"
import { OutboundTransaction } from "./OutboundTransaction.ts"
import { type Ending, type PurposeRules, type ReleaseOutcome, ruleOf } from "./PurposeRule.ts"
import { transactionQueue } from "./queues.ts"

/** An outbound transaction that cannot be built as it is. */
export interface ReleaseTransaction extends Ending {
  /** As it was read. */
  readonly transaction: OutboundTransaction
  /** Why, and what becomes of its purpose. */
  readonly outcome: ReleaseOutcome
  /** When the signer was asked what it has signed; long ago where absent. */
  readonly askedAt?: Timestamp
  /** Whether the signer has signed something else under its guard: a number is used up then. Default false. */
  readonly isGuardSigned?: boolean
  /** The UTXOs of its guard that a foreign transaction has spent for good. Absent where nothing is known to be spent. */
  readonly spent?: ReadonlyArray<Outpoint>
  readonly purposes: PurposeRules
}

/**
 * Gives up an outbound transaction that was never signed, and what it had reserved. A number of an account that others came after is used up by a
 * transaction that does nothing else, and UTXOs that a foreign transaction has spent stay spent. Where funds were missing, an account that lent the number is looked at again. One that was signed in the meantime is left alone,
 * and one that somebody has asked the signer for, who did not wait for the answer, is looked at again when that cannot come any more.
 */
export const releaseTransaction = ({
  askedAt = 0,
  currencies,
  evidence = [],
  isGuardSigned = false,
  outcome,
  purposes,
  spent,
  transaction: read
}: ReleaseTransaction): Command<OutboundTransaction | null> => ({
  name: "ReleaseTransaction",
  reads: [
    ...transactionReads(ruleOf(purposes, read), read),
    ...endTransactionReads(ruleOf(purposes, read), read, currencies),
    ...purposes.lending.reads(read),
    ...ruleOf(purposes, read).evidenceReads(read, evidence)
  ],
  decide: (view) => {
    const transaction = view.get(OutboundTransaction, read.id)
    if (transaction?.phase !== "RESERVED") return Result.succeed({ changes: [], reply: null })
    const known = signedUnknownUntil(transaction, askedAt)
    if (known !== undefined)
      return Result.succeed({ changes: [schedule(transactionQueue(read.network), read.id, known)], reply: null })
    const rule = ruleOf(purposes, transaction)
    return Result.succeed({
      changes: [
        ...(spent === undefined
          ? endUnused(view, rule, { transaction, outcome: "released", isGuardSigned })
          : endReplaced(view, rule, { transaction, spent })),
        ...rule.released(view, transaction, { outcome, currencies, evidence }),
        ...(outcome.reason === "insufficient_wallet" ? purposes.lending.unfunded(view, transaction) : [])
      ],
      reply: transaction
    })
  }
})
