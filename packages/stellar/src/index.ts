/** Chain adapter for stellar. */
export * from "./accountOfPublicKey.ts"
export * from "./StellarAddress.ts"
export * from "./StellarChain.ts"
export * as TransferIndex from "./TransferIndex.ts"
