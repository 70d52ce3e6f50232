/** What one whole unit of each currency is worth in US dollars, until a control says otherwise. Round figures, so that they cannot be taken for the market's. */
export const defaultUsd: Readonly<Record<string, string>> = {
  BTC: "60000",
  ETH: "3000",
  BNB: "500",
  ETH_BASE: "3000",
  TRX: "0.25",
  XLM: "0.4",
  USDT_TRON: "1",
  USDT_ETH: "1",
  USDT_BSC: "1",
  USDT_BASE: "1",
  USDC_TRON: "1",
  USDC_ETH: "1",
  USDC_BSC: "1",
  USDC_BASE: "1",
  USDC_XLM: "1",
  EUR: "1.1",
  GBP: "1.25",
  USD: "1"
}
