import { type CurrencyTable, decimalsOf } from "@bursar/core/money/Currency"
import type { CustodianAsset } from "@bursar/core/port/Custodian"

/** Currencies that are one holding: told in the one of the most decimals, and named after it. */
export interface Pool {
  readonly currency: string
  /** How many base units of the holding one base unit of each of its currencies is. */
  readonly factors: ReadonlyMap<string, bigint>
}

/** The holdings that some currencies are. */
export const poolsOf = (
  pooled: ReadonlyArray<Pick<CustodianAsset, "currency" | "pool">>,
  currencies: CurrencyTable
): ReadonlyArray<Pool> => {
  const poolOf = new Map(pooled.map(({ currency, pool }) => [currency, pool]))
  const decimals = (code: string) => decimalsOf(currencies, code)
  const groups = Map.groupBy(
    currencies.all.map(({ code }) => code),
    (code) => poolOf.get(code) ?? code
  )
  return [...groups.values()].map((group) => {
    const [first = "", ...others] = group.toSorted(
      (one, other) => decimals(other) - decimals(one) || (one < other ? -1 : 1)
    )
    return {
      currency: first,
      factors: new Map([first, ...others].map((code) => [code, 10n ** BigInt(decimals(first) - decimals(code))]))
    }
  })
}

/** The currencies of a holding that it is not named after: each was a holding by itself, where it has joined. */
export const joinedTo = ({ currency: holding, factors }: Pool) =>
  [...factors].flatMap(([currency, factor]) => (currency === holding ? [] : [{ currency, holding, factor }]))
