import type { CallBounds, Rpc } from "../rpc/Rpc.ts"
import type { Receipt } from "../rpc/wire.ts"

/** The largest answer to a question for traces that is read. What moves coin fits in a tenth of it at 400 million gas. */
export const traceBytesMax = 64 * 1024 * 1024

/** What a node traces at least in a millisecond, in gas; how long is waited for traces grows with what the block used. */
const gasPerMs = 5_000n

/** How much of an answer is read and how long it is waited for, for the traces of a block with these receipts. */
export const boundsFor = (rpc: Rpc, receipts: ReadonlyArray<Receipt | undefined>): CallBounds => {
  const gas = BigInt(receipts.findLast((receipt) => receipt !== undefined)?.cumulativeGasUsed ?? 0)
  return { timeoutMs: rpc.timeoutMs + Number(gas / gasPerMs), bytesMax: traceBytesMax }
}
