/** Providers that behave like real ones and move no real money, and the controls that script them. */
export * from "./control/ControlRoute.ts"
export * as SandboxControl from "./control/SandboxControl.ts"
export * from "./custodian/Payer.ts"
export * as SandboxCustodian from "./custodian/SandboxCustodian.ts"
export * from "./devnet/devnetPayer.ts"
export * as SandboxPrices from "./prices/SandboxPrices.ts"
export * as SandboxStore from "./store/SandboxStore.ts"
