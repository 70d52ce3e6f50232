/** A local EVM network for development and tests. */
export * as Anvil from "./Anvil.ts"
export * as EvmDevnet from "./EvmDevnet.ts"
export * as FaultProxy from "./FaultProxy.ts"
export * as Faucet from "./Faucet.ts"
export * as tokens from "./tokens.ts"
