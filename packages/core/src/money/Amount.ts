import { Result } from "effect"
import { Refusal } from "../base/Refusal.ts"
import type { Currency, CurrencyTable } from "./Currency.ts"

/** An amount of one currency in its base units (wei, satoshi, cent …). May be negative inside the ledger. */
export interface Amount {
  readonly units: bigint
  readonly currency: string
}

/** An amount of base units. */
export const of = (units: bigint, currency: string): Amount => ({ units, currency })

/** Nothing, in a currency. */
export const zero = (currency: string): Amount => ({ units: 0n, currency })

const plain = /^(?:0|[1-9][0-9]{0,29})(?:\.([0-9]{1,30}))?$/u

/**
 * Reads the decimal text of a request: digits, at most one point, no sign, no exponent, no needless zero in front.
 * Refuses what is not positive (`amount_invalid`) and more decimals than the currency has (`amount_too_precise`).
 */
export const parse = (text: string, currency: Currency): Result.Result<Amount, Refusal> => {
  const match = plain.exec(text)
  if (match === null)
    return Result.fail(new Refusal({ code: "amount_invalid", message: "The amount is not a decimal string." }))
  const decimals = (match[1] ?? "").replace(/0+$/u, "")
  if (decimals.length > currency.decimals) {
    return Result.fail(
      new Refusal({ code: "amount_too_precise", message: `${currency.code} has ${currency.decimals} decimals.` })
    )
  }
  const whole = text.split(".", 1)[0] ?? "0"
  const units =
    BigInt(whole) * 10n ** BigInt(currency.decimals) + BigInt(decimals.padEnd(currency.decimals, "0") || "0")
  if (units === 0n)
    return Result.fail(new Refusal({ code: "amount_invalid", message: "The amount must be above zero." }))
  return Result.succeed({ units, currency: currency.code })
}

/** Writes base units as the shortest exact decimal text: no exponent, no trailing zero. */
export const format = (units: bigint, decimals: number): string => {
  const sign = units < 0n ? "-" : ""
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/u, "")
  return fraction === "" ? sign + whole : `${sign}${whole}.${fraction}`
}

/** An amount in words that never fails, for what has to tell all of many: of a currency that the table lost it says that, rather than another amount. */
export const amountInWords = (currencies: Pick<CurrencyTable, "byCode">, units: bigint, code: string): string => {
  const known = currencies.byCode(code)
  return known === undefined ? "unknown currency" : format(units, known.decimals)
}

/** An amount with its currency, as it is written where no table of currencies is at hand, or the words have to stay the same whatever the table says. */
export const inBaseUnits = ({ currency, units }: Amount): string => `${units} base units of ${currency}`

/** An amount with its currency, as it is written for people: in decimals, or in base units where the table lacks the currency. */
export const amountText = (currencies: Pick<CurrencyTable, "byCode">, amount: Amount): string => {
  const { currency, units } = amount
  const known = currencies.byCode(currency)
  return known === undefined ? inBaseUnits(amount) : `${format(units, known.decimals)} ${currency}`
}
