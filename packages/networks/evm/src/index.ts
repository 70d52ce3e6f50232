/** The adapter of ethereum, bsc, base and every other EVM network. */
export * from "./Address.ts"
export { evmCodec, type EvmCodecOptions } from "./Codec.ts"
export * from "./Keys.ts"
export * from "./Network.ts"
export * from "./Reader.ts"
export * from "./Sender.ts"
export * as TransferIndex from "./internal/read/TransferIndex.ts"
