/** Chain adapter for ethereum, bsc and base. */
export * from "./EvmAddress.ts"
export * from "./EvmChain.ts"
export * from "./EvmNetwork.ts"
export * from "./send/EvmSender.ts"
export { evmFormat, type EvmFormatOptions } from "./send/evmFormat.ts"
export * from "./xpub.ts"
export * as TransferIndex from "./TransferIndex.ts"
export * from "./verifyMessage.ts"
