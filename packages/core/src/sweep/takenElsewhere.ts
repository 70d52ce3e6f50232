import { type OutboundTransaction, utxosHeld } from "../transaction/OutboundTransaction.ts"
import type { Sweep, SweptDeposit } from "./Sweep.ts"

/**
 * The deposits of a sweep that somebody else has moved, who has the key too: its transaction has ended because UTXOs of it were spent by a foreign one,
 * and these are. No sweep can move them any more.
 */
export const takenElsewhere = (
  { deposits }: Pick<Sweep, "deposits">,
  transaction: Pick<OutboundTransaction, "freed" | "guard" | "outcome"> | undefined
): ReadonlyArray<SweptDeposit> => {
  if (transaction?.outcome !== "replaced") return []
  const held = utxosHeld(transaction)
  return deposits.filter(({ transferIndex, txHash }) =>
    held.some((utxo) => utxo.txHash === txHash && utxo.vout === transferIndex)
  )
}
