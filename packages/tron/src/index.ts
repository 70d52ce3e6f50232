/** Chain adapter for tron. */
export * from "./TronAddress.ts"
export * from "./TronChain.ts"
export * as TransferIndex from "./TransferIndex.ts"
export * from "./xpub.ts"
