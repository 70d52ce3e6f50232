import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { World } from "../world/World.ts"

/**
 * Whether an open transaction rests: it was given up because a reorganisation took what it moves, and that was all that its account had, so nothing pays
 * for it or for one in its place until coin comes.
 */
export const rests = (
  { chain }: Pick<World, "chain">,
  { from, givenUpAfter }: Pick<OutboundTransaction, "from" | "givenUpAfter">
): boolean => givenUpAfter !== null && chain.holds(from, null) === 0n
