import type { Network } from "@bursar/core/money/Network"

/** What is known of a network before a node is asked. Networks change: every figure can be overridden. */
export interface EvmNetworkFacts {
  /** The day on which these were last compared with the network, as YYYY-MM-DD. */
  readonly asOf: string
  /** What `eth_chainId` must say. */
  readonly chainId: number
  /** About how many blocks lie between the latest and the finalized block: what partners are shown as required confirmations. */
  readonly finalityBlocks: number
  /** How far below the tip blocks may still be replaced. More than finality lags in bad times; a deeper reorg needs a person. */
  readonly reorgWindowMs: number
  /** How often to ask for a new block. */
  readonly pollIntervalMs: number
  /** Mean time between blocks. */
  readonly blockTimeMs: number
  /** The most that is bid for a unit of gas, in wei. */
  readonly feeCapPerGas: bigint
  /** The least tip that comes into blocks, in wei. */
  readonly tipMin: bigint
  /** After how long without a block a transaction is handed in again. */
  readonly rebroadcastAfterMs: number
  /** After how long without a block a dearer replacement is worth it. */
  readonly replaceAfterMs: number
  /** Whether posting to another network is charged beside the gas, as chains of the OP stack do by an oracle of theirs. */
  readonly rollup: "op-stack" | "none"
  /**
   * `coin`: what blocks list as withdrawals is paid in the network's coin (EIP-4895). Absent where nobody has said so: another chain pays a token
   * for it, and what comes by it is then told as unread.
   */
  readonly withdrawals?: "coin"
}

const gwei = 1_000_000_000n

/**
 * The facts of the preset networks.
 *
 * **Details**
 *
 * Finality: ethereum 65 blocks, two epochs and one block; bsc 180, more than a majority of 21 validators with 16 blocks in turn
 * (`finalized` itself lags 2 blocks when votes flow); base 65. `tipMin` of bsc is what its validators ask since 2025 (0.05 gwei);
 * elsewhere it only keeps a tip from being nothing. `finalized` lags about 2 to 3 epochs on ethereum, and Ethereum's finality on base
 * (some 600 blocks of 2 s; blocks of 200 ms are announced).
 */
export const facts: Readonly<Record<"ethereum" | "bsc" | "base", EvmNetworkFacts>> = {
  ethereum: {
    asOf: "2026-11-22",
    chainId: 1,
    finalityBlocks: 65,
    reorgWindowMs: 3_600_000,
    pollIntervalMs: 4_000,
    blockTimeMs: 12_000,
    feeCapPerGas: 500n * gwei,
    tipMin: 1_000_000n,
    rebroadcastAfterMs: 60_000,
    replaceAfterMs: 180_000,
    rollup: "none",
    withdrawals: "coin"
  },
  bsc: {
    asOf: "2026-11-22",
    chainId: 56,
    finalityBlocks: 180,
    reorgWindowMs: 600_000,
    pollIntervalMs: 1_000,
    blockTimeMs: 450,
    feeCapPerGas: 50n * gwei,
    tipMin: 50_000_000n,
    rebroadcastAfterMs: 15_000,
    replaceAfterMs: 60_000,
    rollup: "none"
  },
  base: {
    asOf: "2026-11-22",
    chainId: 8453,
    finalityBlocks: 65,
    reorgWindowMs: 5_400_000,
    pollIntervalMs: 2_000,
    blockTimeMs: 2_000,
    feeCapPerGas: 50n * gwei,
    tipMin: 1_000_000n,
    rebroadcastAfterMs: 15_000,
    replaceAfterMs: 60_000,
    rollup: "op-stack"
  }
}

/** The EVM networks of the contract. */
export type EvmNetwork = keyof typeof facts

const presets = new Map<Network, EvmNetworkFacts>(Object.entries(facts))

/** A network by its name, with its facts where it is none of the presets. */
export interface EvmNetworkOptions {
  readonly network: Network
  /** What is known of the network; that of a preset where absent. */
  readonly facts?: EvmNetworkFacts
}

/** What is known of a network. Throws where it is no preset and nothing is told: a mistake of the configuration. */
export const factsOf = ({ facts: told, network }: EvmNetworkOptions): EvmNetworkFacts => {
  const known = told ?? presets.get(network)
  if (known === undefined) throw new Error(`nothing is known of the EVM network ${network}`)
  return known
}

/** What an EVM network is taken for where its configuration says nothing else. */
export const factsDefault: Omit<EvmNetworkFacts, "chainId"> = {
  asOf: "2026-11-22",
  finalityBlocks: 65,
  reorgWindowMs: 5_400_000,
  pollIntervalMs: 2_000,
  blockTimeMs: 2_000,
  feeCapPerGas: 500n * gwei,
  tipMin: 1_000_000n,
  rebroadcastAfterMs: 15_000,
  replaceAfterMs: 60_000,
  rollup: "none"
}
