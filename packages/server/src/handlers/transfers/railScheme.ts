import { usualRail } from "@bursar/core/pricing/railCharged"
import { countryOf } from "../../wire/bankCodes.ts"

/** How an account is named: by IBAN, in Britain, in America, or anywhere by way of a BIC. */
export type Scheme = "SEPA" | "BRITISH" | "AMERICAN" | "SWIFT"

const rails: Readonly<Record<string, { readonly scheme: Scheme; readonly currency: string | null }>> = {
  SEPA: { scheme: "SEPA", currency: "EUR" },
  SEPA_INSTANT: { scheme: "SEPA", currency: "EUR" },
  FPS: { scheme: "BRITISH", currency: "GBP" },
  FASTER_PAYMENTS: { scheme: "BRITISH", currency: "GBP" },
  ACH: { scheme: "AMERICAN", currency: "USD" },
  ACH_SAME_DAY: { scheme: "AMERICAN", currency: "USD" },
  WIRE: { scheme: "AMERICAN", currency: "USD" },
  FEDWIRE: { scheme: "AMERICAN", currency: "USD" },
  SWIFT: { scheme: "SWIFT", currency: null }
}

/** The countries whose money is the euro. */
const euroCountries: ReadonlySet<string> = new Set(
  "AD AT BE BG CY DE EE ES FI FR GR HR IE IT LT LU LV MC ME MT NL PT SI SK SM VA XK".split(" ")
)

/** The rails that partners can name. */
export const railNames: ReadonlyArray<string> = Object.keys(rails)

/** A rail as it is kept and compared. */
export const railOf = (text: string): string => text.toUpperCase()

/** The scheme of a rail, or of a currency's usual one where none is named; otherwise in words what is wrong. */
export const schemeOf = (rail: string | null, currency: string): Scheme | { readonly problem: string } => {
  const name = railOf(rail ?? usualRail(currency))
  const known = Object.hasOwn(rails, name) ? rails[name] : undefined
  if (known === undefined) return { problem: `There is no such rail. There are ${railNames.join(", ")}.` }
  if (known.currency === null || known.currency === currency) return known.scheme
  return { problem: `${name} moves ${known.currency}, not ${currency}.` }
}

/** The currency that a rail moves, or that accounts of a country are usually in; undefined where neither says. */
export const payoutCurrency = (rail: string | null, country: string | null): string | undefined => {
  const name = rail === null ? "" : railOf(rail)
  const moved = Object.hasOwn(rails, name) ? rails[name]?.currency : undefined
  if (moved != null) return moved
  const code = country === null ? undefined : countryOf(country)
  if (code === "GB") return "GBP"
  if (code === "US") return "USD"
  return code !== undefined && euroCountries.has(code) ? "EUR" : undefined
}
