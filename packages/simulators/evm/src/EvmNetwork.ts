import { Schema } from "effect"

/** The EVM networks a devnet can stand in for. */
export const EvmNetwork = Schema.Literals(["ethereum", "bsc", "base"])

/** {@link EvmNetwork} as a type. */
export type EvmNetwork = typeof EvmNetwork.Type

/** The real chain ids: local signatures and addresses are then exactly those of the live networks. */
export const chainIds: Readonly<Record<EvmNetwork, number>> = { ethereum: 1, bsc: 56, base: 8453 }

/** Code of each network's own coin. */
export const nativeCodes: Readonly<Record<EvmNetwork, string>> = { ethereum: "ETH", bsc: "BNB", base: "ETH_BASE" }
