/** Chain adapter for ethereum, bsc and base. */
export * from "./EvmAddress.ts"
export * from "./EvmChain.ts"
export * from "./EvmNetwork.ts"
export * from "./xpub.ts"
export * as TransferIndex from "./TransferIndex.ts"
