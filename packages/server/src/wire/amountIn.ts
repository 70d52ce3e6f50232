import type { MoneyIn } from "@bursar/api/wire/Money"
import { Refusal } from "@bursar/core/base/Refusal"
import { type Amount, of, parse } from "@bursar/core/money/Amount"
import type { Currency, CurrencyTable } from "@bursar/core/money/Currency"
import { Result } from "effect"

/** Reads money of a request. Refuses a currency that is not known, and what `Amount.parse` refuses. */
export const amountIn = (
  currencies: CurrencyTable,
  { amount, currency: code }: MoneyIn
): Result.Result<Amount, Refusal> => {
  const currency = currencies.byCode(code)
  return currency === undefined
    ? Result.fail(
        new Refusal({ code: "unsupported_asset", message: `${JSON.stringify(code)} is not a currency of the service.` })
      )
    : parse(amount, currency)
}

/** Reads the amount that an estimate is asked for; where none is named it is for nothing. */
export const amountOrNothing = (
  currencies: CurrencyTable,
  amount: string | undefined,
  { code }: Currency
): Result.Result<Amount, Refusal> =>
  amount === undefined ? Result.succeed(of(0n, code)) : amountIn(currencies, { amount, currency: code })
