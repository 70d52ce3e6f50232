import type { Node } from "@bursar/simulator-bitcoin/Node"
import { Rejection } from "@bursar/simulator-bitcoin/Rejection"
import type { Tx } from "@bursar/simulator-bitcoin/Tx"

/** Hands a transaction to a node, which may have something against it: then it is false. The time is in seconds. */
export const offer = (to: Node, tx: Tx, seconds: number): boolean => {
  try {
    to.mempool.accept(tx, seconds)
    return true
  } catch (error) {
    if (error instanceof Rejection) return false
    throw error
  }
}

/** Gives a node the blocks of another that it has not seen. The time is in seconds. */
export const giveBlocks = (from: Node, to: Node, seconds: number): void => {
  for (const { block, hash } of from.chain.blocks.values()) if (!to.chain.blocks.has(hash)) to.restore(block, seconds)
}
