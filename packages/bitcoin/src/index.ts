/** Chain adapter for bitcoin, over the JSON-RPC of Bitcoin Core. */
export * from "./BitcoinAddress.ts"
export * from "./BitcoinChain.ts"
export * from "./BitcoinNetwork.ts"
export * from "./MempoolReader.ts"
export * from "./publicKeyAddresses.ts"
export * from "./xpub.ts"
