import type { SuspenseEntry } from "@bursar/api/operator/OperatorSuspense"
import type { Account } from "@bursar/core/ledger/Account"
import { toIso } from "@bursar/core/base/Timestamp"
import type { Json } from "@bursar/core/base/Json"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { AccountLine } from "@bursar/core/store/Queries"
import { money } from "../../../wire/money.ts"
import { placeOf } from "../floats/places.ts"

const beside = "suspense:"

/** The place of what left it without having been booked in, as adjustments name it. */
export const placeOfShortfall = (account: Account): string => placeOf(account.slice(beside.length) as Account) // an account of a shortfall is named after its place

const fieldsOf = (value: Json | undefined): Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, Json>>) : {} // neither null nor a list

const textOf = (value: Json | undefined): string | null => (typeof value === "string" ? value : null)

const reasonOf = ({ leg, operation }: AccountLine): string => {
  if (leg.what === "shortfall") {
    const place = leg.account.slice("suspense:".length)
    return leg.direction === "CREDIT"
      ? `Left ${place} without having been booked in there, with ${operation?.kind ?? "a transaction of ours"}.`
      : `Came to ${place}, from where it had left before it was booked in.`
  }
  return textOf(operation?.details["reason"]) ?? operation?.kind ?? leg.what
}

/** A line of a suspense account as operators see it. */
export const entryToWire = ({ leg, operation }: AccountLine, currencies: CurrencyTable): SuspenseEntry => {
  const incomingTransfer = fieldsOf(operation?.details["wallet_arrival"])
  const memo = fieldsOf(incomingTransfer["memo"])
  const [type, value] = [textOf(memo["type"]), textOf(memo["value"])]
  return {
    account: leg.account === "suspense" ? leg.account : `${beside}${placeOfShortfall(leg.account)}`,
    operation_id: leg.operationId,
    posted_at: toIso(leg.postedAt),
    direction: leg.direction === "CREDIT" ? "in" : "out",
    amount: money(currencies, leg.units, leg.currency),
    network: operation?.network ?? null,
    tx_hash: operation?.txHash ?? null,
    reason: reasonOf({ leg, operation }),
    paid_to: textOf(incomingTransfer["paid_to"]) ?? textOf(incomingTransfer["address"]),
    memo: type === null || value === null ? null : `${type}:${value}`,
    from_address: textOf(incomingTransfer["from_address"])
  }
}
