/** The adapter of stellar, over Horizon. */
export * from "./Address.ts"
export * from "./Codec.ts"
export * from "./Keys.ts"
export * from "./Network.ts"
export * from "./Planner.ts"
export * from "./Reader.ts"
export * from "./Sender.ts"
export * as TransferIndex from "./internal/read/TransferIndex.ts"
