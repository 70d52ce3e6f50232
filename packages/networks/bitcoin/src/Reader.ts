import { Effect, type Redacted } from "effect"
import type { ChainError, ChainReader, Tip } from "@bursar/core/port/Chain"
import {
  type BitcoinChainName,
  blockTimeSlackMs,
  confirmationsDefault,
  facts,
  reorgDepthMax
} from "./internal/facts.ts"
import { type BitcoinRpc, makeBitcoinRpc } from "./internal/rpc/Rpc.ts"
import { blockAt } from "./internal/read/blockAt.ts"
import { chainInfo } from "./internal/rpc/chainInfo.ts"
import { makeMatured } from "./internal/read/matured.ts"
import { positive } from "@bursar/network-kit/positive"
import { readBlock } from "./internal/read/readBlock.ts"
import { holdingsMax, readHoldings } from "./internal/holdings/readHoldings.ts"
import { makeUtxoScan, scanTimeoutMsDefault } from "./internal/build/scanUtxos.ts"
import { bestHeader, headerAt, refOf } from "./internal/read/readHeader.ts"
import type { VerboseHeader } from "./internal/rpc/wire.ts"
import { makeMempoolReader } from "./internal/read/readMempool.ts"

/** How bitcoin is read. */
export interface BitcoinReaderOptions {
  /** JSON-RPC of Bitcoin Core over http(s), with user and password, none of which reaches an error or a log. */
  readonly rpcUrl: Redacted.Redacted<string>
  readonly chain: BitcoinChainName
  /** Blocks after which a deposit counts, its own included. Default 3. */
  readonly confirmations?: number
  /** Overrides the chain's own. */
  readonly pollIntervalMs?: number
  /** How long a call to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How long the node may take to look through all unspent outputs. Default 600,000. */
  readonly scanTimeoutMs?: number
  /** How many calls to the node are under way at most. Default 8; Bitcoin Core serves 16 and queues 64 (rpcthreads, rpcworkqueue). */
  readonly callsMax?: number
}

/** A reader of bitcoin, with what has to be asked before it is relied on. */
export interface BitcoinReader extends ChainReader {
  /**
   * Fails when the node is of another chain: then nothing that is found there is worth anything. To be run at start;
   * `inconsistent` for another chain, `unreachable` when the node does not answer. Every `tip` checks it again.
   */
  readonly verifyChain: Effect.Effect<void, ChainError>
}

const latestHeader = Effect.fn("BitcoinReader.latest")(function* (
  rpc: BitcoinRpc,
  chain: BitcoinChainName
): Effect.fn.Return<VerboseHeader, ChainError> {
  return yield* bestHeader(rpc, "read the latest header", yield* chainInfo(rpc, chain))
})

/**
 * A reader of bitcoin through one node of Bitcoin Core.
 *
 * **Details**
 *
 * A block takes four calls and is read from its raw bytes, which must hash to what was asked for. What a coinbase pays is reported in
 * the block of its hundredth confirmation, from which on it can be spent, under the coinbase's own id. Nothing depends on `txindex`, which
 * after a reorganisation still finds the lost transaction. A block that is not in the node's main chain is `absent`. A block's time is
 * what its miner wrote, which may be before that of its parent. No call is repeated here.
 *
 * **Gotchas**
 *
 * A deposit by mining has the number of the block in which it matured. Throws on a mistake of the configuration.
 */
export const makeBitcoinReader = (options: BitcoinReaderOptions): BitcoinReader => {
  const { chain, confirmations = confirmationsDefault, pollIntervalMs = facts[chain].pollIntervalMs } = options
  positive("confirmations", confirmations)
  positive("pollIntervalMs", pollIntervalMs)
  const rpc = makeBitcoinRpc(options)
  const latest = latestHeader(rpc, chain)
  const matured = makeMatured(rpc, chain)
  const { scanTimeoutMs = scanTimeoutMsDefault } = options
  positive("scanTimeoutMs", scanTimeoutMs)
  const scan = makeUtxoScan(makeBitcoinRpc({ rpcUrl: options.rpcUrl, timeoutMs: scanTimeoutMs, callsMax: 2 }), chain)
  return {
    network: "bitcoin",
    requiredConfirmations: confirmations,
    reorgDepthMax: Math.max(reorgDepthMax, confirmations),
    pollIntervalMs,
    blockTimeSlackMs,
    mempool: () => makeMempoolReader(options),
    tip: Effect.map(latest, (header): Tip => ({
      latest: refOf(header),
      confirmed: Math.max(-1, header.height - confirmations + 1)
    })),
    header: (number) => Effect.map(headerAt(rpc, number), refOf),
    block: (hash) => readBlock(rpc, chain, matured, hash),
    blockAt: (time) => Effect.flatMap(latest, (header) => blockAt((number) => headerAt(rpc, number), header, time)),
    holdingsMax,
    holdings: (addresses) => readHoldings(rpc, scan, addresses),
    verifyChain: Effect.asVoid(chainInfo(rpc, chain))
  }
}
