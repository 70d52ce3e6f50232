/** Chain adapter for tron. */
export * from "./TronAddress.ts"
export * from "./TronChain.ts"
export * from "./send/TronFormat.ts"
export * from "./send/TronSender.ts"
export * as TransferIndex from "./TransferIndex.ts"
export * from "./xpub.ts"
export * from "./verifyMessage.ts"
