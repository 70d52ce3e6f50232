import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Random } from "../kernel/Random.ts"
import type { Meant } from "../world/Records.ts"
import type { WorldConfig } from "../world/World.ts"
import { strangerAt } from "./letIn.ts"

/** An amount as partners write it. */
const written = (units: bigint, decimals: number): string => {
  const digits = units.toString().padStart(decimals + 1, "0")
  const [whole, rest] = [digits.slice(0, digits.length - decimals), digits.slice(digits.length - decimals)]
  const shown = rest.replace(/0+$/u, "")
  return shown === "" ? whole : `${whole}.${shown}`
}

/** Where each kind of request goes. */
export const paths = { CHAIN_PAYOUT: "/v1/chain-payouts", WITHDRAWAL: "/v1/withdrawals", SWAP: "/v1/swaps" } as const

/** What a request says. */
export const bodyOf = (
  { kind, to, toCurrency, ...meant }: Meant,
  key: string,
  { currencies, network }: { readonly currencies: CurrencyTable; readonly network: string }
): string => {
  const { currency } = meant
  const amount = { amount: written(meant.units, currencies.byCode(currency)?.decimals ?? 0), currency }
  switch (kind) {
    case "CHAIN_PAYOUT":
      return JSON.stringify({ amount, network, destination: { address: to }, reference: key })
    case "WITHDRAWAL":
      return JSON.stringify({ amount, partner_reference: key })
    case "SWAP":
      return JSON.stringify({ amount, to_currency: toCurrency, partner_reference: key })
  }
}

/** Draws what a partner wants next. It has a few receivers that it pays again and again. */
export const makeMeaning = (random: Random, weights: WorldConfig["weights"]) => {
  const receivers = [strangerAt(random), strangerAt(random), strangerAt(random)] as const
  return (): Meant => {
    const { payout, swap, withdrawal } = weights
    const drawn = random.below(payout + swap + withdrawal)
    const dollars =
      BigInt(1 + random.below(random.chance(200) ? 500 : 120)) * 1_000_000n + BigInt(random.below(1_000_000))
    if (drawn < payout) {
      const to = random.chance(500) ? random.pick(receivers) : strangerAt(random)
      return random.chance(250)
        ? { kind: "CHAIN_PAYOUT", currency: "ETH", units: dollars * 1_000_000_000n, to, toCurrency: null }
        : { kind: "CHAIN_PAYOUT", currency: "USDT_ETH", units: dollars, to, toCurrency: null }
    }
    const currency = random.pick(["USDT_ETH", "USDC_ETH"])
    if (drawn < payout + withdrawal) return { kind: "WITHDRAWAL", currency, units: dollars, to: null, toCurrency: null }
    const toCurrency = currency === "USDT_ETH" ? "USDC_ETH" : "USDT_ETH"
    return { kind: "SWAP", currency, units: dollars, to: null, toCurrency }
  }
}
