import { positive } from "@bursar/network-kit/positive"
import { Effect } from "effect"
import type { BlockRef, ChainError, ChainReader, Tip } from "@bursar/core/port/Chain"
import { blockAt } from "@bursar/network-kit/blockAt"
import { makeInnerCalls } from "./internal/read/InnerCalls.ts"
import { contractsByHex, makeNode, type Node, type NodeOptions } from "./internal/rpc/Node.ts"
import { holdingsMax, readHoldings } from "./internal/holdings/readHoldings.ts"
import { absent, inconsistent, otherChain } from "./internal/rpc/NodeAnswer.ts"
import { readBlock } from "./internal/read/readBlock.ts"
import { latestOf, readHeader } from "./internal/read/readHeader.ts"

/** How tron is read. */
export interface TronReaderOptions extends NodeOptions {
  /** The pinned TRC-20 contracts in base58, from `CurrencyTable.contracts("tron")`. */
  readonly contracts: ReadonlyArray<string>
  /** Blocks after which a deposit counts, its own included. Overrides the network's finality, also upwards. */
  readonly confirmations?: number
  /** Default 3,000, the time between blocks. */
  readonly pollIntervalMs?: number
  /** The id of the block at height 0, for a private network. Default that of the main network. */
  readonly genesisBlockId?: string
}

/** A reader of tron, with what has to be asked before it is relied on. */
export interface TronReader extends ChainReader {
  /**
   * Fails when the node, or the one of `solidityUrl`, is of another network: then addresses look right and everything else is wrong. To be run at start;
   * `other_chain` for another network, `unreachable` when the node does not answer.
   */
  readonly verifyChain: Effect.Effect<void, ChainError>
}

/** The id of the first block of the main network. */
export const mainnetGenesisBlockId = "00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc"

/** A block cannot be replaced once 19 of the 27 producers have built on it. */
const solidifiedDepth = 19

/** More blocks than solidity lags in bad times; a deeper reorg needs a person. */
const reorgDepthMax = 256

const blockTimeMs = 3_000

/**
 * Fails where what is solidified is not on the chain of the newest blocks: the two views may be of different nodes, also behind a balancer.
 * A node that is cut off and on a fork would have all of its blocks counted as final otherwise.
 */
const onOneChain = Effect.fnUntraced(function* (node: Node, latest: BlockRef, solid: BlockRef) {
  const isAhead = solid.number > latest.number
  const number = Math.min(latest.number, solid.number)
  const own = isAhead ? latest : yield* readHeader(node, "wallet", number)
  const solidified = isAhead ? yield* readHeader(node, "walletsolidity", number) : solid
  if (own.hash === solidified.hash) return
  return yield* inconsistent(
    "compare the newest and the solidified blocks",
    `block ${number} is ${own.hash} among the newest and ${solidified.hash} among the solidified; one of the nodes is on a fork`
  )
})

const tipOf = Effect.fn("TronReader.tip")(function* (
  node: Node,
  confirmations: number | undefined
): Effect.fn.Return<Tip, ChainError> {
  if (confirmations !== undefined) {
    const latest = yield* latestOf(node, "wallet")
    return { latest, confirmed: Math.max(-1, latest.number - confirmations + 1) }
  }
  const [latest, solid] = yield* Effect.all([latestOf(node, "wallet"), latestOf(node, "walletsolidity")], {
    concurrency: 2
  })
  yield* onOneChain(node, latest, solid)
  // Behind a balancer the two answers may come from nodes at different heights.
  return { latest, confirmed: Math.min(latest.number, solid.number) }
})

/**
 * A reader of tron through one node.
 *
 * **Details**
 *
 * A deposit counts when its block is solidified (19 of the 27 producers have built on it, about a minute), or at `confirmations`
 * blocks when configured. A block takes three calls. No call is repeated here. Found are TRX that a transaction sends, TRX that
 * contracts send, and transfers of the pinned TRC-20 tokens. TRC-10 tokens are none of the service's currencies.
 *
 * **Gotchas**
 *
 * A node lists the TRX that contracts send only with `vm.saveInternalTx = true` in its configuration (TronGrid has it, java-tron's
 * default is false), and does not say when it has not. Then such deposits go unseen, and `Tip.unseen` says so as soon as a block
 * shows it. What a contract staked before Stake 2.0 and leaves to an address by destroying itself is in no list of any node: only the rest of
 * what it leaves is found. Throws on a mistake of the configuration.
 */
export const makeTronReader = (options: TronReaderOptions): TronReader => {
  const { confirmations, genesisBlockId = mainnetGenesisBlockId } = options
  positive("confirmations", confirmations)
  positive("pollIntervalMs", options.pollIntervalMs)
  const contracts = contractsByHex(options.contracts)
  const node = makeNode(options)
  const inner = makeInnerCalls()

  const header: ChainReader["header"] = (number) =>
    Number.isSafeInteger(number) && number >= 0
      ? readHeader(node, "wallet", number)
      : Effect.fail(absent(`read header ${number}`, "this is not a height"))

  return {
    network: "tron",
    requiredConfirmations: confirmations ?? solidifiedDepth,
    reorgDepthMax: Math.max(reorgDepthMax, confirmations ?? 0),
    pollIntervalMs: options.pollIntervalMs ?? blockTimeMs,
    tip: Effect.map(tipOf(node, confirmations), (tip): Tip => {
      const unseen = inner.unseen()
      return unseen === undefined ? tip : { ...tip, unseen }
    }),
    header,
    block: (hash) => readBlock(node, contracts, inner, hash),
    blockAt: (time) =>
      Effect.flatMap(latestOf(node, "wallet"), (latest) => blockAt(header, { latest, blockTimeMs }, time)),
    holdingsMax,
    holdings: (addresses) => readHoldings(node, options.contracts, addresses),
    verifyChain: Effect.forEach(
      ["wallet", "walletsolidity"] as const,
      (scope) =>
        Effect.flatMap(readHeader(node, scope, 0), ({ hash }) =>
          hash === genesisBlockId
            ? Effect.void
            : Effect.fail(
                otherChain(
                  "verify the network",
                  `the first block of /${scope} is ${hash}, not ${genesisBlockId}; check the node url of tron`
                )
              )
        ),
      { discard: true }
    )
  }
}
