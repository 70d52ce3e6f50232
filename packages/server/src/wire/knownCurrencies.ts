import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { Effect } from "effect"

/** Those of a list whose currencies are all in the table, and which currencies the others have that it lacks. */
export const byKnownCurrencies = <A>(
  { byCode }: Pick<CurrencyTable, "byCode">,
  all: ReadonlyArray<A>,
  codesOf: (one: A) => ReadonlyArray<string>
): { readonly known: ReadonlyArray<A>; readonly lost: ReadonlyArray<string> } => {
  const lost = new Set<string>()
  const known = all.filter((one) => {
    const missing = codesOf(one).filter((code) => byCode(code) === undefined)
    for (const code of missing) lost.add(code)
    return missing.length === 0
  })
  return { known, lost: [...lost] }
}

/** The currencies of the amounts that are shown of an operation. */
export const codesOfOperation = (operation: Operation): ReadonlyArray<string> => {
  const { amount, customerFee, networkFee, toAmount, toAmountQuoted } = operation
  return [amount, customerFee, toAmount, toAmountQuoted, networkFee].flatMap((one) =>
    one === null ? [] : [one.currency]
  )
}

/** Those of a list of operations, or of what is told of them, that can be shown. The others are told to the log: one of them must not take the list away. */
export const ofKnownCurrencies = Effect.fnUntraced(function* <A>(
  currencies: Pick<CurrencyTable, "byCode">,
  all: ReadonlyArray<A>,
  codesOf: (one: A) => ReadonlyArray<string>
) {
  const { known, lost } = byKnownCurrencies(currencies, all, codesOf)
  if (lost.length > 0)
    yield* Effect.annotateLogs(Effect.logError("operations.unknown_currency"), { currencies: lost.join(", ") })
  return known
})
