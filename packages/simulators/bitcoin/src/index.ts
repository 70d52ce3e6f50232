/** A local bitcoin for development and tests. */
export * as BitcoinDevnet from "./BitcoinDevnet.ts"
