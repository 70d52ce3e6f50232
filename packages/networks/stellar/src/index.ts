/** Chain adapter for stellar. */
export * from "./accountOfPublicKey.ts"
export * from "./send/StellarFormat.ts"
export * from "./send/StellarSender.ts"
export * from "./StellarAddress.ts"
export * from "./StellarChain.ts"
export * as TransferIndex from "./TransferIndex.ts"
export * from "./verifyMessage.ts"
