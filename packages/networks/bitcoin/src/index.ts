/** The adapter of bitcoin, over the JSON-RPC of Bitcoin Core. */
export * from "./Address.ts"
export * from "./Codec.ts"
export * from "./Keys.ts"
export * from "./Network.ts"
export * from "./Planner.ts"
export * from "./Reader.ts"
export * from "./Sender.ts"
export * from "./internal/read/readMempool.ts"
