import type { SuspenseEntry } from "@bursar/api/operator/OperatorSuspense"
import type { Account } from "@bursar/core/ledger/Account"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { AccountLine } from "@bursar/core/store/Queries"
import { toldMoney } from "../../../wire/money.ts"
import { isAssignable } from "@bursar/core/adjustment/assignArrival"
import { placeOfAccount } from "@bursar/core/adjustment/place"

const beside = "suspense:"

/** The place of what left it without having been booked in, as adjustments name it. */
export const placeOfShortfall = (account: Account): string => placeOfAccount(account.slice(beside.length) as Account) // an account of a shortfall is named after its place

const reasonOf = ({ leg, operation }: AccountLine): string => {
  if (leg.what === "shortfall") {
    const place = leg.account.slice("suspense:".length)
    return leg.direction === "CREDIT"
      ? `Left ${place} without having been booked in there, with ${operation?.kind ?? "a transaction of ours"}.`
      : `Came to ${place}, from where it had left before it was booked in.`
  }
  return operation?.details.reason ?? operation?.kind ?? leg.what
}

/** Whether a leg left in suspense what arrived for nobody. */
export const isArrival = ({ account, direction }: Pick<PostedLeg, "account" | "direction">): boolean =>
  account === "suspense" && direction === "CREDIT"

/** A line of a suspense account as operators see it. */
export const entryToWire = ({ leg, operation }: AccountLine, currencies: CurrencyTable): SuspenseEntry => {
  const { address = null, from_address = null, memo = null, paid_to = null } = operation?.details.wallet_arrival ?? {}
  return {
    id: `${leg.postingSeq}.${leg.ordinal}`,
    account: leg.account === "suspense" ? leg.account : `${beside}${placeOfShortfall(leg.account)}`,
    operation_id: leg.operationId,
    posted_at: toIso(leg.postedAt),
    direction: leg.direction === "CREDIT" ? "in" : "out",
    amount: toldMoney(currencies, leg.units, leg.currency),
    network: operation?.network ?? null,
    tx_hash: operation?.txHash ?? null,
    reason: reasonOf({ leg, operation }),
    paid_to: paid_to ?? address,
    memo: memo === null ? null : `${memo.type}:${memo.value}`,
    from_address,
    assignable: isArrival(leg) && operation !== undefined && isAssignable(operation),
    assigned: (isArrival(leg) && operation?.details.assigned) || null
  }
}
