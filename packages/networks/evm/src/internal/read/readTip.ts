import { Effect } from "effect"
import type { ChainError, Tip } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import { decoded, inconsistent, isUnknownBlock, toChainError } from "../rpc/NodeAnswer.ts"
import { readHeader } from "./readBlock.ts"
import { Header } from "../rpc/wire.ts"

/** Says that a node does not know the tag `finalized`, or knows no such block yet. */
const lacksFinality = /finali[sz]ed|invalid (?:params|argument|block)|block number/iu

/**
 * What an operator is told of a node without finality. A depth does not take its place by itself: a node that told of
 * finalized blocks and does so no more is broken, and blocks that are not final would count at once.
 */
const withoutFinality =
  "the node tells of no finalized block, so nothing is confirmed; wait for it, use another node, or configure a number of " +
  "confirmations for the network if it has no finality"

/** The height of the finalized block, or undefined where the node has none to tell. */
const finalized = (rpc: Rpc): Effect.Effect<number | undefined, ChainError> => {
  const doing = "read the finalized block"
  return rpc.call(doing, "eth_getBlockByNumber", ["finalized", false]).pipe(
    Effect.flatMap((answer) =>
      answer === null
        ? Effect.succeed(undefined)
        : Effect.map(decoded(rpc.network, doing, Header, answer), ({ number }) => Number(number))
    ),
    Effect.catchTag("NodeRefusal", (refusal) =>
      refusal.code === -32602 || isUnknownBlock(refusal) || lacksFinality.test(refusal.detail)
        ? Effect.succeed(undefined)
        : Effect.fail(toChainError(rpc.network)(refusal))
    )
  )
}

/** Where the node stands. A depth of `confirmations` counts in place of its finality, and only then. */
export const readTip = Effect.fn("EvmReader.tip")(function* (
  rpc: Rpc,
  confirmations: number | undefined
): Effect.fn.Return<Tip, ChainError> {
  const [latest, final] = yield* Effect.all(
    [
      // A node always has a latest block.
      Effect.mapError(readHeader(rpc, "latest"), (error) =>
        error.reason === "absent" ? inconsistent(rpc.network, error.doing, error.detail) : error
      ),
      confirmations === undefined ? finalized(rpc) : Effect.succeed(undefined)
    ],
    { concurrency: 2 }
  )
  if (confirmations !== undefined) return { latest, confirmed: Math.max(-1, latest.number - confirmations + 1) }
  return final === undefined
    ? { latest, confirmed: -1, unconfirmable: withoutFinality }
    : // Behind a balancer the two answers may come from nodes at different heights.
      { latest, confirmed: Math.min(latest.number, final) }
})
