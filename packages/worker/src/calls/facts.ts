import { shortened } from "@bursar/core/base/shortened"
import { type Amount, amountText as textOf } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { CallFacts } from "@bursar/core/port/ProviderCalls"
import { withoutPersonal } from "./withoutPersonal.ts"

/** What was said, by name; what is null or absent was not said. */
export type Facts = Readonly<Record<string, string | null | undefined>>

/** The most that is kept of one thing that a provider says. */
const textMax = 500

/** An amount in decimals, with its currency; base units where the currency is not known. */
export const amountText = (amount: Amount | null | undefined, currencies: CurrencyTable): string | null =>
  amount == null ? null : textOf(currencies, amount)

/** The end of a number of an account: enough to tell two apart, not enough to use. */
export const endOf = (number: string | null | undefined): string | null => {
  const plain = number?.replaceAll(/[\s-]/gu, "") ?? ""
  return plain === "" ? null : plain.length < 8 ? "…" : `…${plain.slice(-4)}`
}

/** What may be kept of what was said: nothing that names one of those people, and no text that is longer than is kept. */
export const factsOf = (facts: Facts, personal: ReadonlyArray<string | null> = []): CallFacts => {
  const without = withoutPersonal(personal.filter((one) => one !== null))
  return Object.fromEntries(
    Object.entries(facts).flatMap(([name, said]) => (said == null ? [] : [[name, shortened(without(said), textMax)]]))
  )
}
