/** Chain adapter for bitcoin, over the JSON-RPC of Bitcoin Core. */
export * from "./BitcoinAddress.ts"
export * from "./BitcoinChain.ts"
export * from "./BitcoinNetwork.ts"
export * from "./MempoolReader.ts"
export * from "./publicKeyAddresses.ts"
export * from "./send/BitcoinFormat.ts"
export * from "./send/BitcoinSender.ts"
export * from "./xpub.ts"
