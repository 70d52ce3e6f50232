import { parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { SecondNodePolicy } from "@bursar/worker/watch/secondNode/SecondNode"
import { Result, Schema } from "effect"
import { integer, listed, type Present } from "./variable.ts"

/** The variables that say which arrivals need a second node. */
export const secondNodeVariables = {
  SECOND_NODE_ABOVE: Schema.optionalKey(Schema.NonEmptyString),
  SECOND_NODE_TOTAL: Schema.optionalKey(Schema.NonEmptyString),
  SECOND_NODE_WINDOW_HOURS: Schema.optionalKey(integer(1, 720)),
  SECOND_NODE_MISSING: Schema.optionalKey(Schema.Literals(["credit", "hold"]))
}

/** What one node alone may credit within the window, where no total is set: so many times the amount above which a second one is asked. */
const totalDefault = 20n

const windowHoursDefault = 24

/** What the amounts of a variable are in base units, or why one is none. */
const amountsOf = (
  name: "SECOND_NODE_ABOVE" | "SECOND_NODE_TOTAL",
  text: string | undefined,
  currencies: CurrencyTable
): { readonly amounts: ReadonlyMap<string, bigint>; readonly mistakes: ReadonlyArray<string> } => {
  const amounts = new Map<string, bigint>()
  const mistakes = listed(text).flatMap((part) => {
    const [code = "", amount = "", ...rest] = part.split(":").map((piece) => piece.trim())
    const currency = currencies.byCode(code)
    if (currency === undefined || currency.asset === null)
      return [`${name}: ${code || part} is not a currency of a network`]
    if (amounts.has(code)) return [`${name}: ${code} stands twice`]
    const parsed = parse(amount, currency)
    // nothing at all is an amount too: everything is above it
    const units = /^0+(?:\.0+)?$/u.test(amount) ? 0n : Result.getOrUndefined(parsed)?.units
    if (rest.length > 0 || units === undefined)
      return [`${name}: Expected ${code}:<amount> with at most ${currency.decimals} decimals`]
    amounts.set(code, units)
    return []
  })
  return { amounts, mistakes }
}

/** What is wrong with the amounts above which a second node is asked, and with those that one node alone may credit. */
export const secondNodeMistakes = (given: Present, currencies: CurrencyTable): ReadonlyArray<string> => {
  const above = amountsOf("SECOND_NODE_ABOVE", given["SECOND_NODE_ABOVE"], currencies)
  const total = amountsOf("SECOND_NODE_TOTAL", given["SECOND_NODE_TOTAL"], currencies)
  const needless = [...total.amounts.keys()].filter((code) => !above.amounts.has(code))
  return [
    ...above.mistakes,
    ...total.mistakes,
    ...needless.map(
      (code) => `SECOND_NODE_TOTAL: ${code} is not in SECOND_NODE_ABOVE: one node alone credits nothing of it`
    )
  ]
}

/** Which arrivals need a second node: all of a currency without an amount of its own. */
export const secondNodeOf = (
  env: Schema.Struct.Type<typeof secondNodeVariables>,
  currencies: CurrencyTable
): SecondNodePolicy => {
  const listedAbove = amountsOf("SECOND_NODE_ABOVE", env.SECOND_NODE_ABOVE, currencies).amounts
  const listedTotal = amountsOf("SECOND_NODE_TOTAL", env.SECOND_NODE_TOTAL, currencies).amounts
  const above = (currency: string) => listedAbove.get(currency) ?? 0n
  return {
    above,
    together: (currency) => listedTotal.get(currency) ?? totalDefault * above(currency),
    windowMs: (env.SECOND_NODE_WINDOW_HOURS ?? windowHoursDefault) * 3_600_000,
    alone: env.SECOND_NODE_MISSING ?? "credit"
  }
}
