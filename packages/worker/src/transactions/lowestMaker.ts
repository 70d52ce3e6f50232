import { Deposit } from "@bursar/core/deposit/Deposit"
import { walletTransferKey, WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import type { KnownTransaction } from "@bursar/core/reconciliation/chainMovements"
import { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"

/** The lowest block of those that made the outputs which a transaction spends, as the records have it; undefined where they do not know one. */
export const lowestMaker = Effect.fn("transactions.lowestMaker")(function* ({
  tenantId,
  transaction: { guard, network }
}: Pick<KnownTransaction, "tenantId" | "transaction">) {
  if (guard._tag !== "Utxos") return undefined
  const queries = yield* Queries
  const heights = yield* Effect.forEach(guard.utxos, ({ txHash, vout }) =>
    Effect.gen(function* () {
      const arrival = { network, txHash, transferIndex: vout }
      const deposit = yield* queries.record(tenantId, Deposit, arrival)
      const received = yield* queries.record(tenantId, WalletTransfer, walletTransferKey(arrival))
      return deposit?.block?.number ?? received?.block.number
    })
  )
  const known = heights.filter((height) => height !== undefined)
  return known.length < heights.length ? undefined : Math.min(...known)
})
