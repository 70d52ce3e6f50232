/** Kraken's own names of the old coins; all others have their common names. */
const common: Readonly<Record<string, string>> = {
  XXBT: "BTC",
  XBT: "BTC",
  XETH: "ETH",
  XXLM: "XLM",
  ZEUR: "EUR",
  ZGBP: "GBP",
  ZUSD: "USD"
}

/** The common name of a coin. */
export const commonName = (asset: string): string => common[asset] ?? asset

/** What kraken takes for a common name. */
export const krakenName = (coin: string): string => (coin === "BTC" ? "XBT" : coin)
