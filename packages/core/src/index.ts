/**
 * The domain of Bursar: money, ledger, addresses, deposits, events, and the engine that decides commands. Every module
 * is also importable by its own path, such as `@bursar/core/money/Amount`.
 */
export * as Amount from "./money/Amount.ts"
export * as Currency from "./money/Currency.ts"
export * as Network from "./money/Network.ts"
export * as Writer from "./engine/Writer.ts"
export { defaultCurrencies } from "./money/defaultCurrencies.ts"
export { runBatch } from "./engine/runBatch.ts"
export { depositMachine } from "./deposit/DepositMachine.ts"
