/** A custodian and prices at an exchange, through ccxt. */
export * as CcxtCustodian from "./CcxtCustodian.ts"
export * from "./CcxtOptions.ts"
export * as CcxtPrices from "./CcxtPrices.ts"
export * from "./ExchangeName.ts"
