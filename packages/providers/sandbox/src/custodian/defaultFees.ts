/** What the custodian takes for a withdrawal, in whole units of the currency. */
export const defaultFees: Readonly<Record<string, string>> = {
  BTC: "0.0001",
  ETH: "0.0005",
  BNB: "0.0002",
  ETH_BASE: "0.0001",
  TRX: "1",
  XLM: "0.02",
  USDT_TRON: "1.5",
  USDT_ETH: "2.5",
  USDT_BSC: "0.2",
  USDT_BASE: "0.1",
  USDC_TRON: "1.5",
  USDC_ETH: "2.5",
  USDC_BSC: "0.2",
  USDC_BASE: "0.1",
  USDC_XLM: "0.05"
}
