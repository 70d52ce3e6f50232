import type { FloatBalance } from "@bursar/api/wire/Float"
import type { Balance } from "@bursar/core/ledger/Leg"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { toldMoney } from "./money.ts"

/** The balances of a float by currency: available, held, and both together. What partners are shown of it is exact (`shownCurrencies`). */
export const floatBalances = (
  balances: ReadonlyArray<Balance>,
  currencies: CurrencyTable
): ReadonlyArray<FloatBalance> => {
  const units = new Map<string, { available: bigint; held: bigint }>()
  for (const balance of balances) {
    const of = units.get(balance.currency) ?? { available: 0n, held: 0n }
    if (balance.account === "float:available") of.available = balance.units
    if (balance.account === "float:held") of.held = balance.units
    units.set(balance.currency, of)
  }
  return [...units]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([currency, { available, held }]) => ({
      available: toldMoney(currencies, available, currency),
      held: toldMoney(currencies, held, currency),
      total: toldMoney(currencies, available + held, currency)
    }))
}
