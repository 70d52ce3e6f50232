import { Deposit } from "@bursar/core/deposit/Deposit"
import type { KnownTransaction } from "@bursar/core/reconciliation/chainMovements"
import { Queries } from "@bursar/core/store/Queries"
import { utxoKey, WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { Effect } from "effect"

/**
 * An output that a transaction spends and that has left the chain, as far as it was read: while it is gone, nothing that spends it can be on the
 * chain, and a node finds it neither unspent nor spent. Undefined where there is none.
 */
export const lostUtxo = Effect.fn("transactions.lostUtxo")(function* ({
  tenantId,
  transaction: { guard, network }
}: Pick<KnownTransaction, "tenantId" | "transaction">) {
  if (guard._tag !== "Utxos") return undefined
  const queries = yield* Queries
  for (const utxo of guard.utxos) {
    const { txHash, vout } = utxo
    const deposit = yield* queries.record(tenantId, Deposit, { network, txHash, transferIndex: vout })
    const owned = yield* queries.record(tenantId, WalletUtxo, utxoKey(network, utxo))
    if (deposit?.status === "REORGED" || owned?.state === "GONE") return utxo
  }
  return undefined
})
