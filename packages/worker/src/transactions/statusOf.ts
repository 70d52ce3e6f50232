import type { ChainSender, SignedAttempt, TransactionStatus } from "@bursar/core/port/ChainSender"
import type { KnownTransaction } from "@bursar/core/reconciliation/chainMovements"
import { Effect, Result } from "effect"
import { lostUtxo } from "./lostUtxo.ts"

const waits: TransactionStatus = { _tag: "Pending", known: false }

/**
 * What became of the attempts of an outbound transaction, by what the node says. It finds an output that has left the chain neither unspent nor spent,
 * and says nothing then, however long it looks: all of the attempts spend it, so none of them is on the chain, and each waits.
 */
export const statusOf = Effect.fn("transactions.statusOf")(function* (
  { status }: Pick<ChainSender, "status">,
  owned: Pick<KnownTransaction, "tenantId" | "transaction">,
  attempts: ReadonlyArray<SignedAttempt>
) {
  const { from, guard } = owned.transaction
  const told = yield* Effect.result(status({ from, guard }, attempts))
  if (Result.isSuccess(told)) return told.success
  return (yield* lostUtxo(owned)) === undefined ? yield* told.failure : waits
})
