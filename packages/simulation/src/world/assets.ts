/** What somebody starts with of a currency, and where it stands, in base units. */
export interface Endowment {
  readonly currency: string
  readonly chain: bigint
  readonly custodian: bigint
  readonly bank: bigint
}

/** What is paid, held and priced in a world, by its network. */
export interface Assets {
  /** The native asset of the network. */
  readonly coin: string
  /** What so many millionths of a dollar come to in it, about. */
  readonly coinFor: (millionths: bigint) => bigint
  /** A token of the network that is worth a dollar and has six decimals; null where there is none. */
  readonly token: string | null
  /** What the custodian pays out to the network. */
  readonly withdrawn: readonly [string, ...ReadonlyArray<string>]
  /** What that costs, in base units of what is paid out. */
  readonly withdrawalFee: bigint
  /** What grants limit, and what so many millionths of a dollar come to in it. */
  readonly limited: { readonly currency: string; readonly unitsFor: (millionths: bigint) => bigint }
  readonly endowments: ReadonlyArray<Endowment>
}

const dollars = 20_000_000_000n
const usdc: Endowment = { currency: "USDC_ETH", chain: 0n, custodian: dollars, bank: 0n }
const euro: Endowment = { currency: "EUR", chain: 0n, custodian: 0n, bank: 2_000_000n }

const ethereum: Assets = {
  coin: "ETH",
  coinFor: (millionths) => millionths * 1_000_000_000n,
  token: "USDT_ETH",
  withdrawn: ["USDT_ETH", "USDC_ETH"],
  withdrawalFee: 1_000_000n,
  limited: { currency: "USDT_ETH", unitsFor: (millionths) => millionths },
  endowments: [
    { currency: "USDT_ETH", chain: dollars, custodian: dollars, bank: dollars },
    usdc,
    { currency: "ETH", chain: 50_000_000_000_000_000_000n, custodian: 0n, bank: 0n },
    euro
  ]
}

// and never less than the service pays
const satoshiFor = (millionths: bigint): bigint => 10_000n + millionths / 250n

const bitcoin: Assets = {
  coin: "BTC",
  coinFor: satoshiFor,
  token: null,
  withdrawn: ["BTC"],
  withdrawalFee: 1_000n,
  limited: { currency: "BTC", unitsFor: satoshiFor },
  endowments: [
    { currency: "USDT_ETH", chain: 0n, custodian: dollars, bank: dollars },
    usdc,
    { currency: "BTC", chain: 20_000_000n, custodian: 100_000_000n, bank: 0n },
    euro
  ]
}

const tron: Assets = {
  coin: "TRX",
  coinFor: (millionths) => millionths * 8n,
  token: "USDT_TRON",
  withdrawn: ["USDT_TRON"],
  withdrawalFee: 1_000_000n,
  limited: { currency: "USDT_TRON", unitsFor: (millionths) => millionths },
  endowments: [
    { currency: "USDT_TRON", chain: dollars, custodian: dollars, bank: 0n },
    { currency: "USDT_ETH", chain: 0n, custodian: dollars, bank: dollars },
    usdc,
    { currency: "TRX", chain: 400_000_000_000n, custodian: 0n, bank: 0n },
    euro
  ]
}

const byNetwork: Readonly<Record<string, Assets>> = { bitcoin, ethereum, tron }

/** What is paid, held and priced in a world of a network. */
export const assetsOf = (network: string): Assets => {
  const assets = byNetwork[network]
  if (assets === undefined) throw new Error(`nobody simulates ${network}`)
  return assets
}
