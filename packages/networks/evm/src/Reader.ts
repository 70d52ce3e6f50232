import { Effect, type Redacted } from "effect"
import type { ChainError, ChainReader } from "@bursar/core/port/Chain"
import { checksummed } from "./Address.ts"
import { type EvmNetworkOptions, factsOf } from "./internal/facts.ts"
import { balanceChanges } from "./internal/read/balanceChanges.ts"
import { holdingsMax, readHoldings } from "./internal/holdings/readHoldings.ts"
import { blockAt } from "@bursar/network-kit/blockAt"
import { positive } from "@bursar/network-kit/positive"
import { makeRpc } from "./internal/rpc/Rpc.ts"
import { absent, decoded, otherChain } from "./internal/rpc/NodeAnswer.ts"
import { newTraits } from "./internal/rpc/NodeTraits.ts"
import { readBlock, readHeader } from "./internal/read/readBlock.ts"
import { probeTraces } from "./internal/read/probeTraces.ts"
import { readTip } from "./internal/read/readTip.ts"
import { Quantity } from "./internal/rpc/wire.ts"
import * as TransferIndex from "./internal/read/TransferIndex.ts"

/** How an EVM network is read. */
export interface EvmReaderOptions extends EvmNetworkOptions {
  /** JSON-RPC over http(s). May hold a key or a password, neither of which reaches an error or a log. */
  readonly rpcUrl: Redacted.Redacted<string>
  /** The pinned token contracts, from `CurrencyTable.contracts(network)`. */
  readonly contracts: ReadonlyArray<string>
  /** Blocks after which a deposit counts, its own included, in place of the network's finality. Also for networks without. */
  readonly confirmations?: number
  /** `off` goes without the coin that contracts send. `required`, the default, fails every block on a node without traces. */
  readonly traces?: "required" | "off"
  /**
   * `required`, the default, hashes the receipts and the withdrawals of every block and compares the roots with the header. `off` is for the
   * time after a fork that changes how these are encoded, until this package knows it; bloom filters and counts remain.
   */
  readonly receiptsRoot?: "required" | "off"
  /** Overrides the network's own. */
  readonly pollIntervalMs?: number
  /** Mean time between blocks, where it is no longer the one that is known. How many blocks are remembered follows from it. */
  readonly blockTimeMs?: number
  /** How long a call to the node may take; for traces, longer by the gas that a block used. Default 20,000. */
  readonly timeoutMs?: number
  /** How many calls to the node are under way at most. Default 8. */
  readonly callsMax?: number
  /** What `eth_chainId` must say, for a private network. */
  readonly chainId?: number
}

/** What a reader can see on its node. */
export interface EvmCapabilities {
  /** Whether coin that contracts send is found. Operators must know when it is not: such deposits would go unseen. */
  readonly internalTransfers: boolean
}

/** A reader of an EVM network, with what has to be asked before it is relied on. */
export interface EvmReader extends ChainReader {
  /**
   * Fails when the node is of another chain: then addresses look right and everything else is wrong. To be run at start;
   * `other_chain` for another chain, `unreachable` when the node does not answer.
   */
  readonly verifyChain: Effect.Effect<void, ChainError>
  /** What the node can do, asked of it (one header and one trace at most). */
  readonly capabilities: Effect.Effect<EvmCapabilities, ChainError>
}

/** What is not seen where traces are off. */
const unseen = "coin that contracts send, because traces are off"

const timeoutMsDefault = 20_000
const callsMaxDefault = 8

/**
 * A reader of an EVM network through one node.
 *
 * **Details**
 *
 * A deposit counts at `confirmations` blocks when configured, else at the node's `finalized` block; where the node tells of none,
 * nothing is confirmed and `Tip.unconfirmable` says why. `safe` is never used. A block takes three calls. No call is repeated here.
 * A transaction that cannot be read whole is in `Block.unread`, with what its balances say, and keeps no block from being read.
 * Where the node keeps the state of a block no more, all but the coin that contracts sent is read (`Block.isStateGone`).
 *
 * **Gotchas**
 *
 * What validators withdraw on Ethereum is a transfer from nobody whose `txHash` is the hash of the block. The fees that a block's producer keeps are not
 * reported: they are in no list of the block. Throws on a mistake of the configuration.
 */
export const makeEvmReader = (options: EvmReaderOptions): EvmReader => {
  const { chainId, confirmations, network } = options
  const known = factsOf(options)
  const blockTimeMs = options.blockTimeMs ?? known.blockTimeMs
  positive("confirmations", confirmations)
  positive("pollIntervalMs", options.pollIntervalMs)
  positive("blockTimeMs", options.blockTimeMs)
  positive("timeoutMs", options.timeoutMs)
  positive("callsMax", options.callsMax)
  const bad = options.contracts.find((contract) => !/^0x[0-9a-f]{40}$/iu.test(contract))
  if (bad !== undefined) throw new Error(`${bad} is not a token contract on ${network}`)

  const contracts = new Map(options.contracts.map((contract) => [contract.toLowerCase(), checksummed(contract)]))
  const traits = newTraits()
  const traced = options.traces !== "off"
  const rooted = options.receiptsRoot !== "off"
  const rpc = makeRpc({
    network,
    rpcUrl: options.rpcUrl,
    timeoutMs: options.timeoutMs ?? timeoutMsDefault,
    callsMax: options.callsMax ?? callsMaxDefault
  })

  const header: ChainReader["header"] = (number) =>
    Number.isSafeInteger(number) && number >= 0
      ? readHeader(rpc, number)
      : Effect.fail(absent(network, `read header ${number}`, "this is not a height"))

  return {
    network,
    requiredConfirmations: confirmations ?? known.finalityBlocks,
    reorgDepthMax: Math.max(Math.ceil(known.reorgWindowMs / blockTimeMs), confirmations ?? 0),
    pollIntervalMs: options.pollIntervalMs ?? known.pollIntervalMs,
    renumbered: { former: TransferIndex.formerInternal, from: TransferIndex.internalFirst },
    tip: traced ? readTip(rpc, confirmations) : Effect.map(readTip(rpc, confirmations), (tip) => ({ ...tip, unseen })),
    header,
    block: (hash) => readBlock(rpc, { contracts, traits, rooted, traced, withdrawals: known.withdrawals }, hash),
    blockAt: (time) =>
      Effect.flatMap(readHeader(rpc, "latest"), (latest) => blockAt(header, { latest, blockTimeMs }, time)),
    holdingsMax,
    holdings: (addresses, at) =>
      Effect.flatMap(at === undefined ? readHeader(rpc, "latest") : Effect.succeed(at), (block) =>
        readHoldings(rpc, contracts.values(), block, addresses)
      ),
    balanceChanges: (block, addresses) => balanceChanges(rpc, contracts.values(), block, addresses),
    verifyChain: Effect.gen(function* () {
      const doing = "verify the chain id"
      const expected = chainId ?? known.chainId
      const found = Number(yield* decoded(network, doing, Quantity, yield* rpc.ask(doing, "eth_chainId", [])))
      if (found === expected) return
      return yield* otherChain(
        network,
        doing,
        `the node is of chain ${found}, but ${network} is chain ${expected}; check the rpc url of ${network}`
      )
    }),
    capabilities: traced
      ? Effect.map(probeTraces(rpc), (internalTransfers) => ({ internalTransfers }))
      : Effect.succeed({ internalTransfers: false })
  }
}
