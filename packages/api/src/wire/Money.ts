import { Schema } from "effect"
import { Limits } from "../Limits.ts"
import { refusedAs } from "../errors/refusedAs.ts"
import { CurrencyText } from "./Text.ts"

/** A decimal number as text, shortest exact form: no exponent, no `+`, no leading zeros. It may be negative. */
export const DecimalText = Schema.String.check(
  Schema.isPattern(/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/u, { expected: "a decimal string" })
)

/** An amount of money in answers. Only statement lines and balances can be negative. */
export const Money = Schema.Struct({
  amount: DecimalText,
  currency: Schema.String
}).annotate({ identifier: "Money", examples: [{ amount: "12.5", currency: "USDT_TRON" }] })
/** An amount of money in answers. */
export type Money = typeof Money.Type

/**
 * A positive decimal string given by a caller; anything else is refused as `amount_invalid`.
 *
 * How many decimals the currency has, and that the amount is not zero, is the decider's business.
 */
export const AmountText = Schema.String.check(
  Schema.isMaxLength(Limits.amountLengthMax, refusedAs("amount_invalid", "a shorter decimal string")),
  Schema.isPattern(
    /^(?:0|[1-9]\d*)(?:\.\d+)?$/u,
    refusedAs("amount_invalid", "a decimal string without sign or exponent")
  )
)

/** An amount of money given by a caller. */
export const MoneyIn = Schema.Struct({
  amount: AmountText,
  currency: CurrencyText
}).annotate({ identifier: "MoneyIn", examples: [{ amount: "12.5", currency: "USDT_TRON" }] })
/** An amount of money given by a caller. */
export type MoneyIn = typeof MoneyIn.Type
