import type { SuspenseEntry } from "@bursar/api/operator/OperatorSuspense"
import { toIso } from "@bursar/core/engine/Timestamp"
import type { Json } from "@bursar/core/engine/Json"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { AccountLine } from "@bursar/core/port/Queries"
import { money } from "../../../wire/money.ts"

const fieldsOf = (value: Json | undefined): Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, Json>>) : {} // neither null nor a list

const textOf = (value: Json | undefined): string | null => (typeof value === "string" ? value : null)

/** A line of the suspense account as operators see it. */
export const entryToWire = ({ leg, operation }: AccountLine, currencies: CurrencyTable): SuspenseEntry => {
  const arrival = fieldsOf(operation.details["wallet_arrival"])
  const memo = fieldsOf(arrival["memo"])
  const [type, value] = [textOf(memo["type"]), textOf(memo["value"])]
  return {
    operation_id: operation.id,
    posted_at: toIso(leg.postedAt),
    direction: leg.direction === "CREDIT" ? "in" : "out",
    amount: money(currencies, leg.units, leg.currency),
    network: operation.network,
    tx_hash: operation.txHash,
    reason: textOf(operation.details["reason"]) ?? operation.kind,
    paid_to: textOf(arrival["paid_to"]) ?? textOf(arrival["address"]),
    memo: type === null || value === null ? null : `${type}:${value}`,
    from_address: textOf(arrival["from_address"])
  }
}
