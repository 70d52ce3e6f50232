import type { Json } from "../base/Json.ts"
import { format } from "../money/Amount.ts"
import type { CurrencyTable } from "../money/Currency.ts"

/** An amount as events tell it, of base units as they tell them; undefined where these are none. A currency that is in no table has no decimals. */
export const shownAmount = (
  currencies: CurrencyTable,
  units: Json | undefined,
  currency: Json | undefined
): string | undefined =>
  typeof units === "string" && /^\d+$/u.test(units)
    ? format(BigInt(units), currencies.byCode(String(currency))?.decimals ?? 0)
    : undefined
