import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Asset, Currency, CurrencyTable } from "./Currency.ts"

/** A currency that moves on a network. */
export type ChainCurrency = Currency & { readonly asset: Asset }

/** The currency of what is to be sent on a network; refuses any other (`unsupported_asset`). */
export const chainCurrency = (
  currencies: Pick<CurrencyTable, "byCode">,
  code: string
): Result.Result<ChainCurrency, Refusal> => {
  const currency = currencies.byCode(code)
  return currency === undefined || currency.asset === null
    ? Result.fail(new Refusal({ code: "unsupported_asset", message: `${code} cannot be sent on a network.` }))
    : Result.succeed({ ...currency, asset: currency.asset })
}
