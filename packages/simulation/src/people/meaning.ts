import type { CurrencyTable } from "@bursar/core/money/Currency"
import { ibanOf } from "../outside/bank/accounts.ts"
import type { Random } from "../kernel/Random.ts"
import type { WorldNetwork } from "../outside/WorldNetwork.ts"
import type { Assets } from "../world/assets.ts"
import type { AskedKind, Meant } from "../world/Records.ts"
import type { PartnerOfWorld } from "./letIn.ts"

/** An amount as partners write it. */
export const written = (units: bigint, decimals: number): string => {
  const digits = units.toString().padStart(decimals + 1, "0")
  const [whole, rest] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)]
  const shown = rest.replace(/0+$/u, "")
  return shown === "" ? whole : `${whole}.${shown}`
}

const paths: Partial<Readonly<Record<AskedKind, string>>> = {
  CHAIN_PAYOUT: "/v1/chain-payouts",
  WITHDRAWAL: "/v1/withdrawals",
  SWAP: "/v1/swaps"
}

/** Where each kind of request goes. */
export const pathOf = (kind: AskedKind): string => paths[kind] ?? "/v1/transfers"

/** What a request says. */
export const bodyOf = (
  { currency, customer, kind, quote, to, toCurrency, units }: Meant,
  key: string,
  { currencies, network }: { readonly currencies: CurrencyTable; readonly network: string }
): string => {
  const amount = { amount: written(units, currencies.byCode(currency)?.decimals ?? 0), currency }
  const named = { partner_reference: key, ...(quote !== null && { quote_id: quote.id }) }
  const inNameOf = customer !== null && { customer_id: customer }
  switch (kind) {
    case "CHAIN_PAYOUT":
      return JSON.stringify({ amount, network, destination: { address: to }, reference: key })
    case "WITHDRAWAL":
      return JSON.stringify({ amount, partner_reference: key })
    case "SWAP":
      return JSON.stringify({ amount, to_currency: toCurrency, ...inNameOf, ...named })
    case "ON_RAMP":
    case "OFF_RAMP":
    case "BANK_TRANSFER":
    case "REFUND":
    case "INTERNAL_TRANSFER":
      return JSON.stringify({
        kind,
        amount,
        beneficiary_name: "somebody",
        beneficiary_account: to ?? "own",
        ...(toCurrency !== null && { country: "DE" }),
        ...(inNameOf && { ...inNameOf, acts_for: "CUSTOMER" }),
        ...named
      })
  }
}

/** A partner, as far as its wishes depend on it. */
export type Asker = Pick<PartnerOfWorld, "clients" | "index">

/** What a partner has that its next wish may be about. */
export interface Possessions {
  readonly partner: Asker
  /** The transfers that brought it money, or may have. */
  readonly onRamps: () => ReadonlyArray<{ readonly id: string; readonly units: bigint }>
  readonly assets: Assets
  readonly network: Pick<WorldNetwork, "stranger">
  /** The addresses at which others, or the partner by keys of its own, may be paid through the service. */
  readonly watched: () => ReadonlyArray<string>
}

/** Draws what a partner wants next. It has a few receivers that it pays again and again. */
export const makeMeaning = (random: Random, { assets, network, onRamps, partner, watched }: Possessions) => {
  const addresses = [network.stranger(random), network.stranger(random), network.stranger(random)] as const
  const accounts = [0, 1, 2].map((n) => ibanOf(`receiver ${n} of partner ${partner.index}`))
  const nothingMore = { to: null, toCurrency: null, quote: null, customer: null }
  const some = <A>(list: ReadonlyArray<A>): A | undefined => list[random.below(list.length)]

  /** In the name of a customer, now and then, and sometimes of one whom nobody has checked yet. */
  const customer = (): string | null => {
    if (!random.chance(400)) return null
    const rushes = random.chance(400)
    return some(partner.clients.filter(({ registered }) => rushes || registered))?.id ?? null
  }

  const cents = (): bigint => BigInt(2_000 + random.below(random.chance(200) ? 45_000 : 10_000))

  const iban = (): string => (random.chance(500) ? some(accounts) : undefined) ?? ibanOf(`${random.below(2 ** 30)}`)

  return (kind: AskedKind): Meant => {
    const dollars =
      BigInt(1 + random.below(random.chance(200) ? 500 : 120)) * 1_000_000n + BigInt(random.below(1_000_000))
    const stable = random.pick(["USDT_ETH", "USDC_ETH"])
    const euros = { ...nothingMore, currency: "EUR", units: cents() }
    switch (kind) {
      case "CHAIN_PAYOUT": {
        const within = watched()
        const to =
          (within.length > 0 && random.chance(250) ? some(within) : undefined) ??
          (random.chance(500) ? random.pick(addresses) : network.stranger(random))
        return assets.token === null || random.chance(250)
          ? { ...nothingMore, kind, currency: assets.coin, units: assets.coinFor(dollars), to }
          : { ...nothingMore, kind, currency: assets.token, units: dollars, to }
      }
      case "WITHDRAWAL":
        return assets.token === null
          ? { ...nothingMore, kind, currency: assets.coin, units: assets.coinFor(dollars) }
          : {
              ...nothingMore,
              kind,
              currency: assets.withdrawn.includes(stable) ? stable : assets.token,
              units: dollars
            }
      case "SWAP": {
        const toCurrency = stable === "USDT_ETH" ? "USDC_ETH" : "USDT_ETH"
        return { ...nothingMore, kind, currency: stable, units: dollars, toCurrency, customer: customer() }
      }
      case "ON_RAMP":
        return { ...euros, kind, customer: customer() }
      case "OFF_RAMP":
        return random.chance(600)
          ? {
              ...nothingMore,
              kind,
              currency: "USDT_ETH",
              units: dollars,
              to: iban(),
              toCurrency: "EUR",
              customer: customer()
            }
          : { ...euros, kind, to: iban(), customer: customer() }
      case "BANK_TRANSFER":
        return { ...euros, kind, to: iban(), customer: customer() }
      case "REFUND": {
        const source = some(onRamps())
        if (source === undefined) return { ...euros, kind: "ON_RAMP" }
        const units = random.chance(300) ? source.units : 1n + (source.units * BigInt(random.below(900))) / 1_000n
        return { ...euros, kind, units: units < 100n ? 100n : units, to: source.id }
      }
      case "INTERNAL_TRANSFER": {
        const account = some(partner.clients.flatMap(({ accountId }) => accountId ?? []))
        return account === undefined ? { ...euros, kind: "ON_RAMP" } : { ...euros, kind, to: account }
      }
    }
  }
}
