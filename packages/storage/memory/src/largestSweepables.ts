import type { SweepablesQuery } from "@bursar/core/store/Queries"
import { isFree, type SweepableDeposit } from "@bursar/core/sweep/SweepableDeposit"
import { BigInt as Big } from "effect"

/** The largest of each currency that wait to be swept from an address. */
export const largestSweepables = (
  all: ReadonlyArray<SweepableDeposit>,
  { addressId, limit }: SweepablesQuery
): ReadonlyArray<SweepableDeposit> => {
  const waiting = all.filter((one) => one.addressId === addressId && isFree(one))
  return [...Map.groupBy(waiting, ({ currency }) => currency).values()].flatMap((some) =>
    some.toSorted((one, other) => Big.Order(other.units, one.units)).slice(0, limit)
  )
}
