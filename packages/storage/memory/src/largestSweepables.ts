import type { SweepablesQuery } from "@bursar/core/store/Queries"
import { isFree, type SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"

/** The largest of each currency that wait to be swept from an address. */
export const largestSweepables = (
  all: ReadonlyArray<SweepableDeposit>,
  { addressId, limit }: SweepablesQuery
): ReadonlyArray<SweepableDeposit> => {
  const waiting = all.filter((one) => one.addressId === addressId && isFree(one))
  return [...Map.groupBy(waiting, ({ currency }) => currency).values()].flatMap((some) =>
    some.toSorted((one, other) => (one.units < other.units ? 1 : one.units > other.units ? -1 : 0)).slice(0, limit)
  )
}
