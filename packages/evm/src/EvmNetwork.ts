/** The networks this package reads and writes to. */
export type EvmNetwork = "ethereum" | "bsc" | "base"

/** What is known of a network before a node is asked. */
export interface EvmNetworkFacts {
  /** What `eth_chainId` must say. */
  readonly chainId: number
  /** Blocks a deposit needs where the node knows no `finalized` block. */
  readonly depth: number
  /** Blocks below the tip that may still be replaced. More than finality lags in bad times; a deeper reorg needs a person. */
  readonly reorgDepthMax: number
  /** How often to ask for a new block. */
  readonly pollIntervalMs: number
  /** Mean time between blocks; only a first guess when a block is searched by its time. */
  readonly blockTimeMs: number
  /** The most that is bid for a unit of gas, in wei. */
  readonly feeCapPerGas: bigint
  /** The least tip that comes into blocks, in wei. */
  readonly tipMin: bigint
  /** After how long without a block a transaction is handed in again. */
  readonly rebroadcastAfterMs: number
  /** After how long without a block a dearer replacement is worth it. */
  readonly replaceAfterMs: number
}

const gwei = 1_000_000_000n

/**
 * The networks' facts.
 *
 * **Details**
 *
 * Depths: ethereum 65, two epochs and one block; bsc 90, more than a majority of 21 validators with 8 blocks in turn; base 65.
 * `tipMin` of bsc is what its validators ask since 2025 (0.05 gwei); elsewhere it only keeps a tip from being nothing.
 * `finalized` lags about 2 to 3 epochs on ethereum, 2 blocks on bsc, and Ethereum's finality on base (some 600 blocks).
 */
export const facts: Readonly<Record<EvmNetwork, EvmNetworkFacts>> = {
  ethereum: {
    chainId: 1,
    depth: 65,
    reorgDepthMax: 256,
    pollIntervalMs: 4_000,
    blockTimeMs: 12_000,
    feeCapPerGas: 500n * gwei,
    tipMin: 1_000_000n,
    rebroadcastAfterMs: 60_000,
    replaceAfterMs: 180_000
  },
  bsc: {
    chainId: 56,
    depth: 90,
    reorgDepthMax: 512,
    pollIntervalMs: 1_000,
    blockTimeMs: 750,
    feeCapPerGas: 50n * gwei,
    tipMin: 50_000_000n,
    rebroadcastAfterMs: 15_000,
    replaceAfterMs: 60_000
  },
  base: {
    chainId: 8453,
    depth: 65,
    reorgDepthMax: 2_048,
    pollIntervalMs: 2_000,
    blockTimeMs: 2_000,
    feeCapPerGas: 50n * gwei,
    tipMin: 1_000_000n,
    rebroadcastAfterMs: 15_000,
    replaceAfterMs: 60_000
  }
}
