import type { Coverage, SolvencyContent } from "./SolvencySnapshot.ts"

const add = (sums: Map<string, bigint>, currency: string, units: string): void => {
  sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(units))
}

/**
 * Reserves against liabilities, by the currencies of a document. Reserves without a signature are shown, and cover nothing. What is
 * attributed to nobody may be somebody's, so it makes up for no shortfall.
 */
export const summarize = ({
  currencies,
  liabilities,
  reserves,
  statements,
  unattributed
}: Pick<
  SolvencyContent,
  "currencies" | "liabilities" | "reserves" | "statements" | "unattributed"
>): ReadonlyArray<Coverage> => {
  const owed = new Map<string, bigint>()
  const proven = new Map<string, bigint>()
  const unproven = new Map<string, bigint>()
  const stated = new Map<string, bigint>()
  const nobodys = new Map<string, bigint>()
  for (const { currency, total } of liabilities) add(owed, currency, total)
  for (const { holdings, proof } of reserves)
    for (const { currency, units } of holdings) add(proof === null ? unproven : proven, currency, units)
  for (const { currency, units } of statements) add(stated, currency, units)
  for (const { currency, units } of unattributed) add(nobodys, currency, units)
  return currencies.map(({ currency }) => {
    const of = (sums: Map<string, bigint>) => sums.get(currency) ?? 0n
    const difference = of(proven) + of(stated) - of(owed) - of(nobodys)
    return {
      currency,
      liabilities: String(of(owed)),
      proven: String(of(proven)),
      stated: String(of(stated)),
      unproven: String(of(unproven)),
      unattributed: String(of(nobodys)),
      difference: String(difference),
      covered: difference >= 0n
    }
  })
}
