/** The exchanges that pass the contract suite of custodians. Any other is refused. */
export const exchangeNames = ["kraken", "binance", "okx", "coinbase", "bitget"] as const

/** An exchange that can be used. */
export type ExchangeName = (typeof exchangeNames)[number]

/** Whether a text names one of them. */
export const isExchangeName = (text: string): text is ExchangeName =>
  (exchangeNames as ReadonlyArray<string>).includes(text)
