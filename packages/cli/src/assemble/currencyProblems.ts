import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Network } from "@bursar/core/money/Network"
import { type KnownCurrency, sameAsset } from "@bursar/core/port/KnownCurrencies"

/** The currencies of the configuration that amounts can be of now: those of networks that are on, and those of no network. */
export const currenciesInUse = (
  { all, networks }: CurrencyTable,
  on: ReadonlySet<Network>
): ReadonlyArray<KnownCurrency> =>
  all.flatMap(({ asset, code, decimals }): ReadonlyArray<KnownCurrency> => {
    if (asset === null) return [{ code, network: null, contract: null, decimals, environment: null }]
    const { contract, network } = asset
    return on.has(network) ? [{ code, network, contract, decimals, environment: networks.of(network).environment }] : []
  })

const assetOf = (network: Network | null, contract: string | null): string =>
  network === null ? "money at a bank" : `${contract === null ? "the coin" : `the token ${contract}`} of ${network}`

const wordOf = { LIVE: "main", SANDBOX: "test" } as const

/** What a currency of the database is that the configuration makes another one. */
const problemsOf = (
  known: KnownCurrency,
  { byCode, networks }: CurrencyTable,
  on: ReadonlySet<Network>
): ReadonlyArray<string> => {
  const now = byCode(known.code)
  if (now === undefined)
    return [
      `${known.code} is missing, and the database knows it as ${assetOf(known.network, known.contract)} with ${known.decimals} decimals: put it back; a currency of the books stays configured`
    ]
  const network = now.asset?.network ?? null
  const contract = now.asset?.contract ?? null
  const environment = network !== null && on.has(network) ? networks.of(network).environment : known.environment
  const differs = [
    ...(sameAsset(known, { network, contract })
      ? []
      : [
          `${assetOf(network, contract)} in the configuration, and ${assetOf(known.network, known.contract)} in the database`
        ]),
    ...(now.decimals === known.decimals
      ? []
      : [`of ${now.decimals} decimals in the configuration, and of ${known.decimals} in the database`]),
    ...(environment === known.environment || environment === null || known.environment === null
      ? []
      : [
          `of the environment ${wordOf[environment]} in the configuration, and ${wordOf[known.environment]} in the database`
        ])
  ]
  return differs.map(
    (what) =>
      `${known.code} is ${what}: what stands there keeps its meaning, so give another currency another code, or another database`
  )
}

/** What of the currencies of the configuration contradicts what the database knows of them, in words for an operator. */
export const currencyProblems = (
  known: ReadonlyArray<KnownCurrency>,
  currencies: CurrencyTable,
  on: ReadonlySet<Network>
): ReadonlyArray<string> =>
  known
    // what is on a network that the configuration lacks is told with the network, unless its code is another currency now
    .filter(
      ({ code, network }) =>
        network === null || currencies.networks.has(network) || currencies.byCode(code) !== undefined
    )
    .flatMap((one) =>
      problemsOf(one, currencies, on).map((problem) => (one.network === null ? problem : `NETWORKS: ${problem}`))
    )

/** What of the books has no currency in the configuration that is about to be bound to them for good. */
export const booksProblems = (inBooks: ReadonlyArray<string>, { byCode }: CurrencyTable): ReadonlyArray<string> =>
  inBooks
    .filter((code) => byCode(code) === undefined)
    .map((code) => `NETWORKS: ${code} is missing, and the books have amounts of it: put it back`)
