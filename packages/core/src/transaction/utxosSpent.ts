import type { TransactionStatus } from "../port/ChainSender.ts"
import type { Outpoint } from "../port/Utxo.ts"
import type { OutboundTransaction } from "./OutboundTransaction.ts"

/** The UTXOs of a replay guard that are spent for good, by what the chain says of the transactions that were to spend them. */
export const utxosSpent = (
  guard: OutboundTransaction["guard"],
  { spent }: Pick<Extract<TransactionStatus, { readonly _tag: "Invalidated" }>, "spent">
): ReadonlyArray<Outpoint> => {
  if (guard._tag !== "Utxos") return []
  return spent === undefined
    ? guard.utxos
    : guard.utxos.filter((utxo) => spent.some(({ txHash, vout }) => txHash === utxo.txHash && vout === utxo.vout))
}
