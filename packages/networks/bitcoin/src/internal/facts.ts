/** The chains this package reads, by the names that `getblockchaininfo` gives them. */
export type BitcoinChainName = "main" | "test" | "regtest"

/** What is known of a chain before a node is asked. */
export interface BitcoinFacts {
  /** The human-readable part of segwit addresses. */
  readonly bech32: string
  /** The version byte of P2PKH addresses. */
  readonly pubKeyHash: number
  /** The version byte of P2SH addresses. */
  readonly scriptHash: number
  /** How often to ask for a new block. */
  readonly pollIntervalMs: number
}

/** The chains' facts (Bitcoin Core, `kernel/chainparams.cpp`). */
export const facts: Readonly<Record<BitcoinChainName, BitcoinFacts>> = {
  main: { bech32: "bc", pubKeyHash: 0x00, scriptHash: 0x05, pollIntervalMs: 10_000 },
  test: { bech32: "tb", pubKeyHash: 0x6f, scriptHash: 0xc4, pollIntervalMs: 10_000 },
  regtest: { bech32: "bcrt", pubKeyHash: 0x6f, scriptHash: 0xc4, pollIntervalMs: 1_000 }
}

/** Blocks a deposit needs where nothing else is configured, its own included. */
export const confirmationsDefault = 3

/** Blocks below the tip that may still be replaced. The deepest reorganisation of the main chain had 53 (2010), then 24 (2013). */
export const reorgDepthMax = 100

/** Confirmations that a coinbase needs before the next block may spend it (Bitcoin Core, `COINBASE_MATURITY`). */
export const coinbaseMaturity = 100

/**
 * How far a block's time may lie before the moment at which it was mined. It must only be later than the median of the eleven
 * before it, which lags by about an hour, and by two when blocks come slowly.
 */
export const blockTimeSlackMs = 7_200_000
