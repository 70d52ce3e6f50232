import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { World } from "../world/World.ts"

/**
 * Whether an open transaction rests: it was given up because a reorganisation took what it moves. Nothing of it can take effect until that
 * comes back: its outputs, or for one of an account whatever pays for it or for one in its place, where that was all that the account had.
 */
export const rests = (
  { chain }: Pick<World, "chain">,
  { from, givenUpAfter, guard }: Pick<OutboundTransaction, "from" | "givenUpAfter" | "guard">
): boolean => {
  if (givenUpAfter === null) return false
  if (guard._tag !== "Utxos") return chain.holds(from, null) === 0n
  const mined = new Set(chain.mined().map(({ hash }) => hash))
  return guard.utxos.some(({ txHash }) => !mined.has(txHash))
}
