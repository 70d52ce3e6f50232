/** Fiat accounts and transfers with Bridge. */
export * from "./BridgeFiat.ts"
export * from "./BridgeOptions.ts"
export * from "./readBridgeHint.ts"
export * from "./stateOf.ts"
