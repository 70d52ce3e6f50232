import type { Customer } from "@bursar/core/customer/Customer"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { CustomerQuery, RegisterPosition, SweepQuery } from "@bursar/core/store/Queries"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { byAge, compareText } from "./byAge.ts"
import { matches } from "./lists.ts"

/** A page, newest first. */
const newest = <A extends RegisterPosition>(
  all: ReadonlyArray<A>,
  { after, limit }: { readonly after?: RegisterPosition | undefined; readonly limit: number }
): ReadonlyArray<A> =>
  all
    .filter((one) => after === undefined || byAge(one, after) < 0)
    .toSorted((left, right) => byAge(right, left))
    .slice(0, limit)

/** A page of customers. */
export const customers = (all: ReadonlyArray<Customer>, query: CustomerQuery): ReadonlyArray<Customer> =>
  newest(
    all.filter(({ externalId }) => matches(query.externalId, externalId)),
    query
  )

/** A page of sweeps. */
export const sweeps = (all: ReadonlyArray<Sweep>, query: SweepQuery): ReadonlyArray<Sweep> =>
  newest(
    all
      .filter(({ addressId }) => matches(query.addressId, addressId))
      .filter(({ closedAt }) => matches(query.open, closedAt === null)),
    query
  )

/** What a wallet pays for and is not over, oldest first. */
export const openTransactions = (
  all: ReadonlyArray<OutboundTransaction>,
  wallet: string,
  limit: number
): ReadonlyArray<OutboundTransaction> =>
  all
    .filter(({ endedAt, walletId }) => walletId === wallet && endedAt === null)
    .toSorted((left, right) => left.reservedAt - right.reservedAt || compareText(left.id, right.id))
    .slice(0, limit)

/** Deposits whose block left the chain, the latest first. */
export const reorgedDeposits = (all: ReadonlyArray<Deposit>, limit: number): ReadonlyArray<Deposit> =>
  all
    .filter(({ reorgedAt }) => reorgedAt !== null)
    .toSorted((left, right) => (right.reorgedAt ?? 0) - (left.reorgedAt ?? 0) || compareText(right.id, left.id))
    .slice(0, limit)
