import { type Currency, makeCurrencyTable } from "./Currency.ts"
import type { Network } from "./Network.ts"
import { presetNetworks } from "./presetNetworks.ts"

const native = (code: string, name: string, network: Network, decimals: number, minimumOut: bigint): Currency => ({
  code,
  name,
  kind: "COIN",
  decimals,
  asset: { network, contract: null },
  minimumOut
})

/** Tokens are dollars: on networks where sending one costs about as much, the least is a dollar, else ten cents. */
const leastOf = (network: Network, decimals: number): bigint =>
  10n ** BigInt(network === "ethereum" || network === "tron" ? decimals : decimals - 1)

const token = (code: string, name: string, network: Network, decimals: number, contract: string): Currency => ({
  code,
  name,
  kind: "TOKEN",
  decimals,
  asset: { network, contract },
  minimumOut: leastOf(network, decimals)
})

const fiat = (code: string, name: string): Currency => ({
  code,
  name,
  kind: "FIAT",
  decimals: 2,
  asset: null,
  minimumOut: 100n
})

/**
 * The currencies a service starts with. Contracts are the issuers' own (Tether, Circle) or, on bsc, the Binance-Peg
 * tokens, which have 18 decimals where the same symbols have 6 elsewhere.
 */
export const defaultCurrencies = makeCurrencyTable(
  [
    native("BTC", "Bitcoin", "bitcoin", 8, 10_000n),
    native("ETH", "Ether", "ethereum", 18, 100_000_000_000_000n),
    native("BNB", "BNB", "bsc", 18, 500_000_000_000_000n),
    native("ETH_BASE", "Ether on Base", "base", 18, 10_000_000_000_000n),
    native("TRX", "Tronix", "tron", 6, 1_000_000n),
    native("XLM", "Lumen", "stellar", 7, 1_000_000n),
    token("USDT_TRON", "Tether USD on Tron", "tron", 6, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
    token("USDT_ETH", "Tether USD on Ethereum", "ethereum", 6, "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
    token("USDT_BSC", "Tether USD on BNB Smart Chain", "bsc", 18, "0x55d398326f99059fF775485246999027B3197955"),
    token("USDT_BASE", "Tether USD on Base", "base", 6, "0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2"),
    token("USDC_TRON", "USD Coin on Tron", "tron", 6, "TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8"),
    token("USDC_ETH", "USD Coin on Ethereum", "ethereum", 6, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
    token("USDC_BSC", "USD Coin on BNB Smart Chain", "bsc", 18, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d"),
    token("USDC_BASE", "USD Coin on Base", "base", 6, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    token(
      "USDC_XLM",
      "USD Coin on Stellar",
      "stellar",
      7,
      "USDC:GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"
    ),
    fiat("EUR", "Euro"),
    fiat("GBP", "Pound sterling"),
    fiat("USD", "US dollar")
  ],
  presetNetworks
)
