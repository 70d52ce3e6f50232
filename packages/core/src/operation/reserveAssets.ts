import { BigInt as Big } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import type { Account } from "../ledger/Account.ts"
import type { Amount } from "../money/Amount.ts"
import { assetPlaceOf, isWithProvider } from "./assetPlace.ts"
import type { Operation } from "./Operation.ts"
import { AssetReservation } from "./AssetReservation.ts"

/** What reserving of a currency at a place reads. Giving it back reads the group alone. */
export const reservationReads = (account: Account, currency: string): ReadonlyArray<Read> => [
  { _tag: "Balance", account, currency },
  readGroup(AssetReservation, account)
]

const reservedAt = (view: View, account: Account, currency: string): bigint =>
  view.group(AssetReservation, account).find((one) => one.currency === currency)?.units ?? 0n

/** What stands at a place and nothing in flight takes. Below zero where more is in flight than there is. */
export const unreservedAt = (view: View, account: Account, currency: string): bigint =>
  view.balance(account, currency).units - reservedAt(view, account, currency)

/**
 * Reserves amounts at a place; one below zero is given back. A command names all that it changes at a place at once, because a
 * decider does not see its own changes.
 */
export const reserveAssets = (view: View, account: Account, amounts: ReadonlyArray<Amount>): ReadonlyArray<Change> => {
  const sums = new Map<string, bigint>()
  for (const { currency, units } of amounts) sums.set(currency, (sums.get(currency) ?? 0n) + units)
  return [...sums].flatMap(([currency, change]) => {
    if (change === 0n) return []
    const units = reservedAt(view, account, currency) + change
    // what a process of an earlier version sent while this one took over was never reserved: its outcome is recorded all the same
    return [putRecord(AssetReservation, { account, currency, units: Big.max(units, 0n) })]
  })
}

/** Reserves what an operation takes, in the commit that records the intent to send it to its provider. */
export const reserveFor = (view: View, { amount, kind, network }: Operation): ReadonlyArray<Change> => {
  const place = assetPlaceOf({ kind, network })
  return place === undefined ? [] : reserveAssets(view, place, [amount])
}

/** What `unreserve` reads. */
export const unreserveReads = (operation: Pick<Operation, "kind" | "network">): ReadonlyArray<Read> => {
  const place = assetPlaceOf(operation)
  return place === undefined ? [] : [readGroup(AssetReservation, place)]
}

/** Gives back what was reserved for an operation that is over now; `before` is the operation as it was. */
export const unreserve = (view: View, before: Operation): ReadonlyArray<Change> => {
  const place = assetPlaceOf(before)
  const { currency, units } = before.amount
  return place === undefined || !isWithProvider(before) ? [] : reserveAssets(view, place, [{ currency, units: -units }])
}
