import { positive } from "@bursar/network-kit/positive"
import { Effect } from "effect"
import type { ChainError, ChainReader, Tip } from "@bursar/core/port/Chain"
import { blockAt } from "@bursar/network-kit/blockAt"
import { makeInnerCalls } from "./internal/read/InnerCalls.ts"
import { contractsByHex, makeNode, type Node, type NodeOptions } from "./internal/rpc/Node.ts"
import { holdingsMax, readHoldings } from "./internal/holdings/readHoldings.ts"
import { absent, otherChain } from "./internal/rpc/NodeAnswer.ts"
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
   * Fails when the node is of another network: then addresses look right and everything else is wrong. To be run at start;
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

const tipOf = Effect.fn("TronReader.tip")(function* (
  node: Node,
  confirmations: number | undefined
): Effect.fn.Return<Tip, ChainError> {
  const [latest, solid] = yield* Effect.all(
    [
      latestOf(node, "wallet"),
      confirmations === undefined ? latestOf(node, "walletsolidity") : Effect.succeed(undefined)
    ],
    { concurrency: 2 }
  )
  const byDepth = latest.number - (confirmations ?? solidifiedDepth) + 1
  // Behind a balancer the two answers may come from nodes at different heights.
  return { latest, confirmed: Math.max(-1, Math.min(latest.number, solid?.number ?? byDepth)) }
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
 * shows it. Throws on a mistake of the configuration.
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
    verifyChain: Effect.flatMap(header(0), ({ hash }) =>
      hash === genesisBlockId
        ? Effect.void
        : Effect.fail(
            otherChain(
              "verify the network",
              `the node's first block is ${hash}, not ${genesisBlockId}; check the node url of tron`
            )
          )
    )
  }
}
