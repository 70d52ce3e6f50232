import { type Amount, format } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { CallFacts } from "@bursar/core/port/ProviderCalls"

/** What was said, by name; what is null or absent was not said. */
export type Facts = Readonly<Record<string, string | null | undefined>>

/** The most that is kept of one thing that a provider says. */
const textMax = 500

/** An amount in decimals, with its currency; base units where the currency is not known. */
export const amountText = (amount: Amount | null | undefined, currencies: CurrencyTable): string | null => {
  if (amount == null) return null
  const currency = currencies.byCode(amount.currency)
  return currency === undefined
    ? `${amount.units} base units of ${amount.currency}`
    : `${format(amount.units, currency.decimals)} ${currency.code}`
}

/** The end of a number of an account: enough to tell two apart, not enough to use. */
export const endOf = (number: string | null | undefined): string | null => {
  const plain = number?.replaceAll(/[\s-]/gu, "") ?? ""
  return plain === "" ? null : plain.length < 8 ? "…" : `…${plain.slice(-4)}`
}

const literally = (text: string): RegExp => new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`), "giu")

/** A text without what names people or their accounts, and no longer than is kept. */
const kept = (text: string, personal: ReadonlyArray<string>): string => {
  let rest = text
  for (const one of personal) rest = rest.replaceAll(literally(one), "…")
  return rest.length > textMax ? `${rest.slice(0, textMax)}…` : rest
}

/** What may be kept of what was said, without what is personal. */
export const factsOf = (facts: Facts, personal: ReadonlyArray<string | null> = []): CallFacts => {
  // what is as short as a part of a word would take words apart
  const names = personal.flatMap((one) => (one === null || one.trim().length < 3 ? [] : [one.trim()]))
  const longestFirst = names.toSorted((one, other) => other.length - one.length)
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, said]) => (said == null ? [] : [[name, kept(said, longestFirst)]]))
  )
}
