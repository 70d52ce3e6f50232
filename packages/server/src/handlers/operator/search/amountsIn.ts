import { type Amount, parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Result } from "effect"

const written = /^([0-9][0-9.]{0,40})(?:\s+([A-Za-z0-9_]{1,32}))?$/u

/** The amounts that a text can mean: one where it names a currency, else one of every currency that has so many decimals. */
export const amountsIn = (text: string, { all, byCode }: CurrencyTable): ReadonlyArray<Amount> => {
  const [, amount, code] = written.exec(text) ?? []
  if (amount === undefined) return []
  const named = code === undefined ? all : [byCode(code.toUpperCase())]
  return named.flatMap((currency) => {
    if (currency === undefined) return []
    return Result.match(parse(amount, currency), { onFailure: () => [], onSuccess: (one) => [one] })
  })
}
