import { Refusal } from "../base/Refusal.ts"
import { format } from "./Amount.ts"
import type { Currency } from "./Currency.ts"

type Known = Pick<Currency, "code" | "decimals">

const money = (units: bigint, { code, decimals }: Known) => ({ amount: format(units, decimals), currency: code })

/**
 * The refusal of an amount that the float does not cover (`insufficient_balance`): with what is there, what of it the service holds
 * itself, and what is needed, fee included.
 */
export const notCovered = (
  currency: Known,
  units: { readonly available: bigint; readonly backed: bigint; readonly required: bigint }
): Refusal =>
  new Refusal({
    code: "insufficient_balance",
    message:
      units.available < units.required
        ? `The balance in ${currency.code} does not cover the amount and its fee.`
        : `The balance in ${currency.code} covers the amount and its fee only with coins on addresses of your own: move them to a deposit address of the service first.`,
    detail: {
      available: money(units.available, currency),
      backed: money(units.backed, currency),
      required: money(units.required, currency)
    }
  })

/** The refusal of an amount that is too small (`below_minimum`), with the least that would do. */
export const belowMinimum = (currency: Known, minimum: bigint, message: string): Refusal =>
  new Refusal({ code: "below_minimum", message, detail: { minimum: money(minimum, currency) } })

/** The refusal of a refund of more than what it pays back has left (`insufficient_balance`): with what that brought. */
export const notRefundable = (currency: Known, units: { readonly brought: bigint; readonly left: bigint }): Refusal =>
  new Refusal({
    code: "insufficient_balance",
    message: "The refund is more than what is left of the ON_RAMP.",
    detail: { brought: money(units.brought, currency), refundable: money(units.left, currency) }
  })
