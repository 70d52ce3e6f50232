import { Effect } from "effect"
import type { ChainError, Tip } from "@bursar/core/port/Chain"
import type { EvmRpc } from "./EvmRpc.ts"
import { decoded, inconsistent, isUnknownBlock, toChainError } from "./NodeAnswer.ts"
import { readHeader } from "./readBlock.ts"
import { Header } from "./wire.ts"

/** Says that a node does not know the tag `finalized`, or knows no such block yet. */
const lacksFinality = /finali[sz]ed|invalid (?:params|argument|block)|block number/iu

/** The height of the finalized block, or undefined where the node has none to tell. */
const finalized = (rpc: EvmRpc): Effect.Effect<number | undefined, ChainError> => {
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

/** Where the node stands. `confirmations` overrides its finality; `depth` takes the place of a finality it does not have. */
export const readTip = Effect.fn("EvmChain.tip")(function* (
  rpc: EvmRpc,
  confirmations: number | undefined,
  depth: number
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
  const byDepth = latest.number - (confirmations ?? depth) + 1
  // Behind a balancer the two answers may come from nodes at different heights.
  return { latest, confirmed: Math.max(-1, Math.min(latest.number, final ?? byDepth)) }
})
