import { parse } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { SecondNodePolicy } from "@bursar/worker/watch/secondNode/SecondNode"
import { Result, Schema } from "effect"
import { listed, type Present } from "./variable.ts"

/** The variables that say which arrivals need a second node. */
export const secondNodeVariables = {
  SECOND_NODE_ABOVE: Schema.optionalKey(Schema.NonEmptyString),
  SECOND_NODE_MISSING: Schema.optionalKey(Schema.Literals(["credit", "hold"]))
}

/** What the amounts of `SECOND_NODE_ABOVE` are in base units, or why one is none. */
const amountsOf = (
  text: string | undefined,
  currencies: CurrencyTable
): { readonly above: ReadonlyMap<string, bigint>; readonly mistakes: ReadonlyArray<string> } => {
  const above = new Map<string, bigint>()
  const mistakes = listed(text).flatMap((part) => {
    const [code = "", amount = "", ...rest] = part.split(":").map((piece) => piece.trim())
    const currency = currencies.byCode(code)
    if (currency === undefined || currency.asset === null)
      return [`SECOND_NODE_ABOVE: ${code || part} is not a currency of a network`]
    if (above.has(code)) return [`SECOND_NODE_ABOVE: ${code} stands twice`]
    const parsed = parse(amount, currency)
    // nothing at all is an amount too: everything is above it
    const units = /^0+(?:\.0+)?$/u.test(amount) ? 0n : Result.getOrUndefined(parsed)?.units
    if (rest.length > 0 || units === undefined)
      return [`SECOND_NODE_ABOVE: Expected ${code}:<amount> with at most ${currency.decimals} decimals`]
    above.set(code, units)
    return []
  })
  return { above, mistakes }
}

/** What is wrong with the amounts above which a second node is asked. */
export const secondNodeMistakes = (given: Present, currencies: CurrencyTable): ReadonlyArray<string> =>
  amountsOf(given["SECOND_NODE_ABOVE"], currencies).mistakes

/** Which arrivals need a second node: all of a currency without an amount of its own. */
export const secondNodeOf = (
  env: Schema.Struct.Type<typeof secondNodeVariables>,
  currencies: CurrencyTable
): SecondNodePolicy => {
  const { above } = amountsOf(env.SECOND_NODE_ABOVE, currencies)
  return { above: (currency) => above.get(currency) ?? 0n, alone: env.SECOND_NODE_MISSING ?? "credit" }
}
