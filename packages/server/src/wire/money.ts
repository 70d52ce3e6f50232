import type { Money } from "@bursar/api/wire/Money"
import { type Amount, format } from "@bursar/core/money/Amount"
import { type CurrencyTable, decimalsOf } from "@bursar/core/money/Currency"

/** Writes base units of a currency as money. A currency that is in the books and not in the table is a mistake of the configuration. */
export const money = (currencies: CurrencyTable, units: bigint, code: string): Money => ({
  amount: format(units, decimalsOf(currencies, code)),
  currency: code
})

/** Writes an amount as money; nothing stays nothing. */
export const moneyOrNull = (currencies: CurrencyTable, amount: Amount | null): Money | null =>
  amount === null ? null : money(currencies, amount.units, amount.currency)

/**
 * Writes base units of a currency for operators, and never fails: what stands in the books in a currency that the table lacks has to be looked at.
 * Its amount is that of base units then, and says so in the place of the currency.
 */
export const toldMoney = (currencies: CurrencyTable, units: bigint, code: string): Money =>
  currencies.byCode(code) === undefined
    ? { amount: units.toString(), currency: `base units of ${code}` }
    : money(currencies, units, code)

/** Writes an amount for operators (`toldMoney`); nothing stays nothing. */
export const toldMoneyOrNull = (currencies: CurrencyTable, amount: Amount | null): Money | null =>
  amount === null ? null : toldMoney(currencies, amount.units, amount.currency)
