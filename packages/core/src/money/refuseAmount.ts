import { Refusal } from "../engine/Refusal.ts"
import { format } from "./Amount.ts"
import type { Currency } from "./Currency.ts"

type Known = Pick<Currency, "code" | "decimals">

const money = (units: bigint, { code, decimals }: Known) => ({ amount: format(units, decimals), currency: code })

/** The refusal of an amount that the float does not cover (`insufficient_balance`): with what is there, and what is needed, fee included. */
export const notCovered = (
  currency: Known,
  units: { readonly available: bigint; readonly required: bigint }
): Refusal =>
  new Refusal({
    code: "insufficient_balance",
    message: `The balance in ${currency.code} does not cover the amount and its fee.`,
    detail: { available: money(units.available, currency), required: money(units.required, currency) }
  })

/** The refusal of an amount that is too small (`below_minimum`), with the least that would do. */
export const belowMinimum = (currency: Known, minimum: bigint, message: string): Refusal =>
  new Refusal({ code: "below_minimum", message, detail: { minimum: money(minimum, currency) } })
