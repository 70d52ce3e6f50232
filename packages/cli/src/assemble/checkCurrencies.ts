import type { CurrencyTable } from "@bursar/core/money/Currency"
import { KnownCurrencies } from "@bursar/core/port/KnownCurrencies"
import { KnownNetworks } from "@bursar/core/port/KnownNetworks"
import { Effect } from "effect"
import { SettingsInvalid } from "../config/SettingsInvalid.ts"
import { booksProblems, currencyProblems } from "./currencyProblems.ts"

/**
 * Compares the currencies that books are to be checked by with what the database knows of them. By others, rows that nobody has touched would seem
 * to be tampered with: an amount of a currency that is not configured has no decimals. Environments are not compared, because no rule goes by them.
 */
export const checkCurrencies = Effect.fn("assemble.checkCurrencies")(function* (currencies: CurrencyTable) {
  const known = yield* KnownCurrencies
  const bound = yield* known.all
  const networks = [
    ...(yield* (yield* KnownNetworks).all).map(({ name }) => name),
    ...bound.flatMap(({ network }) => network ?? [])
  ]
  const missing = [...new Set(networks)].filter((name) => !currencies.networks.has(name))
  const mistakes = [
    ...missing.map((name) => `NETWORKS: ${name} is missing, and the database knows it`),
    ...currencyProblems(bound, currencies, new Set()),
    ...(bound.length === 0 ? booksProblems(yield* known.inBooks, currencies) : [])
  ]
  if (mistakes.length > 0) return yield* new SettingsInvalid({ mistakes })
})
