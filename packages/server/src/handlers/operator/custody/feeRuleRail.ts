import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { FeeRule } from "@bursar/core/pricing/FeeRule"
import type { Product } from "@bursar/core/pricing/Product"
import { isSameRail } from "@bursar/core/pricing/railCharged"
import { railNames, schemeOf } from "../../transfers/railScheme.ts"

const onChains: ReadonlySet<Product> = new Set(["CHAIN_PAYOUT", "WITHDRAWAL"])

type Place = Pick<FeeRule, "currency" | "product" | "rail">

const networksFor = ({ currency, product }: Place, currencies: CurrencyTable): ReadonlyArray<string> => {
  if (product !== null && !onChains.has(product)) return []
  if (currency === null) return currencies.networks.all.map(({ name }) => name)
  const asset = currencies.byCode(currency)?.asset ?? null
  return asset === null ? [] : [asset.network]
}

const bankRailsFor = ({ currency, product }: Place): ReadonlyArray<string> => {
  if (product !== null && onChains.has(product)) return []
  // what a ramp moves at the bank is another currency than that of its amount
  return product === "BANK_TRANSFER" && currency !== null
    ? railNames.filter((name) => typeof schemeOf(name, currency) === "string")
    : railNames
}

/** Why a fee rule would never be charged for its rail: nothing that it is for takes that one. Undefined where something does. */
export const railProblem = (rule: Place, currencies: CurrencyTable): string | undefined => {
  const { product, rail } = rule
  if (rail === null) return undefined
  if (product === "SWAP") return "A swap takes no rail."
  const possible = [...networksFor(rule, currencies), ...bankRailsFor(rule)]
  if (possible.some((one) => isSameRail(one, rail))) return undefined
  return possible.length === 0
    ? `A ${product} of ${rule.currency} takes no rail.`
    : `Nothing that the rule is for takes this rail. Expected one of ${possible.join(", ")}.`
}
