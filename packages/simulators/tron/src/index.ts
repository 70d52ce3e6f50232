/** A local tron for development and tests. */
export * as TronDevnet from "./TronDevnet.ts"
