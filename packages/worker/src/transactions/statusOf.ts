import type { ChainSender, SignedAttempt, TransactionStatus } from "@bursar/core/port/ChainSender"
import type { KnownTransaction } from "@bursar/core/reconciliation/chainMovements"
import { Effect, Result } from "effect"
import { lostUtxos, makersOf } from "./lostUtxos.ts"

const waits: TransactionStatus = { _tag: "Pending", known: false }

/**
 * What became of the attempts of an outbound transaction, by what the node says. It finds an output that has left the chain neither unspent nor spent,
 * and says nothing then, however long it looks: all of the attempts spend it, so none of them is on the chain, and each waits. Where transactions of
 * ours made such outputs, it is asked what became of these as well: of two that replace each other, one at most comes into the chain.
 */
export const statusOf = Effect.fn("transactions.statusOf")(function* (
  { status }: Pick<ChainSender, "status">,
  owned: Pick<KnownTransaction, "tenantId" | "transaction">,
  attempts: ReadonlyArray<SignedAttempt>
) {
  const { from, guard } = owned.transaction
  const told = yield* Effect.result(status({ from, guard }, attempts))
  if (Result.isSuccess(told)) return told.success
  const lost = yield* lostUtxos(owned)
  if (lost.length === 0) return yield* told.failure
  const madeBy = yield* makersOf(owned, lost)
  if (madeBy.length === 0) return waits
  const again = yield* Effect.result(status({ from, guard, madeBy }, attempts))
  return Result.getOrElse(again, () => waits)
})
