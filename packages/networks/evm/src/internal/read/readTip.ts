import { Effect } from "effect"
import type { BlockRef, ChainError, Tip } from "@bursar/core/port/Chain"
import type { Rpc } from "../rpc/Rpc.ts"
import { decoded, inconsistent, isUnknownBlock, toChainError } from "../rpc/NodeAnswer.ts"
import { readHeader, refOf } from "./readBlock.ts"
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

/** The finalized block, or undefined where the node has none to tell. */
const finalized = (rpc: Rpc): Effect.Effect<BlockRef | undefined, ChainError> => {
  const doing = "read the finalized block"
  return rpc.call(doing, "eth_getBlockByNumber", ["finalized", false]).pipe(
    Effect.flatMap((answer) =>
      answer === null ? Effect.succeed(undefined) : Effect.map(decoded(rpc.network, doing, Header, answer), refOf)
    ),
    Effect.catchTag("NodeRefusal", (refusal) =>
      refusal.code === -32602 || isUnknownBlock(refusal) || lacksFinality.test(refusal.detail)
        ? Effect.succeed(undefined)
        : Effect.fail(toChainError(rpc.network)(refusal))
    )
  )
}

/** The node's own block at the height of a finalized one that is not above its latest. */
const ownHash = (rpc: Rpc, latest: BlockRef, { number }: BlockRef): Effect.Effect<string, ChainError> => {
  if (number === latest.number) return Effect.succeed(latest.hash)
  if (number === latest.number - 1) return Effect.succeed(latest.parentHash)
  return Effect.map(readHeader(rpc, number), ({ hash }) => hash)
}

/**
 * Where the node stands, each time. A depth of `confirmations` counts in place of its finality, and only then. Behind a balancer the
 * finalized block may be told by another node than the rest: it counts only where the node's own chain has it, which is asked each time, as
 * another node may answer at any time.
 */
export const readTip = (rpc: Rpc, confirmations: number | undefined): Effect.Effect<Tip, ChainError> => {
  let agreed: BlockRef | undefined
  return Effect.gen(function* () {
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
    if (final === undefined) return { latest, confirmed: -1, unconfirmable: withoutFinality }
    // One above the latest block cannot be compared: the latest is told by a node that is behind.
    const counts = final.number <= latest.number ? final : agreed
    if (counts === undefined || counts.number > latest.number) return { latest, confirmed: -1 }
    const own = yield* ownHash(rpc, latest, counts)
    if (own !== counts.hash) {
      return yield* inconsistent(
        rpc.network,
        "compare the finalized block",
        `block ${counts.number} is ${own}, and finalized is ${counts.hash}`
      )
    }
    agreed = counts
    return { latest, confirmed: counts.number } satisfies Tip
  }).pipe(Effect.withSpan("EvmReader.tip"))
}
