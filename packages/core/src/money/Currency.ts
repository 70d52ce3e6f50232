import { Schema } from "effect"
import type { Network, NetworkTable } from "./Network.ts"

/** What a currency is: the coin of a network, a token on it, or money at a bank. */
export type CurrencyKind = "COIN" | "TOKEN" | "FIAT"

/**
 * What a network calls an asset: its own coin (`contract: null`), or a token by its pinned contract or issuer.
 * Never a symbol: symbols are not unique and cost money.
 */
export interface Asset {
  readonly network: Network
  readonly contract: string | null
}

/** A currency of the service. `decimals` is the scale of its base units and never comes from a node. */
export interface Currency {
  readonly code: string
  readonly name: string
  readonly kind: CurrencyKind
  readonly decimals: number
  readonly asset: Asset | null
  /** The least that is sent out at once, in base units, unless a tenant's policy says otherwise; one unit where it is left out. */
  readonly minimumOut?: bigint
}

/** The currencies a service knows, looked up by code or by what a network calls them, and the networks that they are on. */
export interface CurrencyTable {
  readonly networks: NetworkTable
  readonly all: ReadonlyArray<Currency>
  readonly byCode: (code: string) => Currency | undefined
  readonly byAsset: (network: Network, contract: string | null) => Currency | undefined
  readonly contracts: (network: Network) => ReadonlyArray<string>
}

/** A currency is in the books and not in the table: a process with a newer configuration has booked it. */
export class UnknownCurrency extends Schema.TaggedError<UnknownCurrency>()("UnknownCurrency", {
  currency: Schema.String
}) {
  override get message(): string {
    return `currency ${this.currency} is not in the table`
  }
}

/**
 * The scale of a currency. One that is in the books and not in the table is a mistake of the configuration and throws `UnknownCurrency`: base
 * units shown as whole coins would be another amount.
 */
export const decimalsOf = (currencies: Pick<CurrencyTable, "byCode">, code: string): number => {
  const currency = currencies.byCode(code)
  if (currency === undefined) throw new UnknownCurrency({ currency: code })
  return currency.decimals
}

/** A contract as it is compared: those in hexadecimal are written in either case, all others in one way alone. Empty for the coin of a network. */
export const contractKey = (contract: string | null): string =>
  contract?.startsWith("0x") === true ? contract.toLowerCase() : (contract ?? "")

const assetKey = (network: Network, contract: string | null): string => `${network}|${contractKey(contract)}`

/**
 * Builds a table; a code or an asset that stands twice, or an asset on a network that is not among `networks`, is a mistake of the
 * configuration and throws.
 */
export const makeCurrencyTable = (all: ReadonlyArray<Currency>, networks: NetworkTable): CurrencyTable => {
  const codes = new Map<string, Currency>()
  const assets = new Map<string, Currency>()
  for (const currency of all) {
    if (codes.has(currency.code)) throw new Error(`currency ${currency.code} is listed twice`)
    codes.set(currency.code, currency)
    if (currency.asset === null) continue
    networks.of(currency.asset.network)
    const key = assetKey(currency.asset.network, currency.asset.contract)
    if (assets.has(key)) throw new Error(`the asset of ${currency.code} is listed twice`)
    assets.set(key, currency)
  }
  return {
    networks,
    all,
    byCode: (code) => codes.get(code),
    byAsset: (network, contract) => assets.get(assetKey(network, contract)),
    contracts: (network) =>
      all.flatMap(({ asset }) =>
        asset !== null && asset.network === network && asset.contract !== null ? [asset.contract] : []
      )
  }
}
