/** A local stellar for development and tests. */
export * as StellarDevnet from "./StellarDevnet.ts"
