import type { TransactionContent } from "@bursar/core/port/ChainSender"
import { createHash } from "node:crypto"
import { usesOf } from "./usesOf.ts"

/**
 * What two transactions have in common whose signatures fit either of them, a SHA-256 in hexadecimal; undefined where no two do. A signature of
 * bitcoin covers what its own output is said to hold, and not what the others are (BIP 143): of two orders that lie of one output each, the true
 * signatures make one transaction, which gives what was kept silent to whoever mines it.
 */
export const twinOf = ({ guard, payments }: Pick<TransactionContent, "guard" | "payments">): string | undefined => {
  if (guard._tag !== "Utxos") return undefined
  const paid = payments.map(({ to, units }) => `${to} ${units}`)
  return createHash("sha256")
    .update([...usesOf(guard), ...paid].join("\n"))
    .digest("hex")
}
