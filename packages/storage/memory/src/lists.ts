import { Array as Arr } from "effect"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import type { Xpub } from "@bursar/core/address/Xpub"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { PostedLeg } from "@bursar/core/ledger/Leg"
import { concernsTenant } from "@bursar/core/operation/concernsTenant"
import type { Operation } from "@bursar/core/operation/Operation"
import type { AddressQuery, CategoryTotal, DepositQuery, RegisterQuery, XpubQuery } from "@bursar/core/store/Queries"
import { byAge } from "./byAge.ts"

/** A span of time: `since` inclusive, `until` exclusive. */
interface Span {
  readonly since?: Timestamp | undefined
  readonly until?: Timestamp | undefined
}

/** Whether a moment lies in a span. */
export const within = (at: Timestamp, { since, until }: Span): boolean =>
  (since === undefined || at >= since) && (until === undefined || at < until)

/** Whether a value is the one asked for, if one is asked for. */
export const matches = <A>(asked: A | undefined, value: A | null): boolean => asked === undefined || asked === value

/** A page of addresses. */
export const addresses = (all: ReadonlyArray<DepositAddress>, query: AddressQuery): ReadonlyArray<DepositAddress> => {
  const after = query.after === undefined ? undefined : all.find(({ id }) => id === query.after)
  if (query.after !== undefined && after === undefined) return []
  return all
    .filter((one) => query.includeRetired || one.retiredAt === null)
    .filter((one) => matches(query.network, one.network))
    .filter((one) => matches(query.reference, one.reference))
    .filter((one) => matches(query.address, one.address))
    .filter((one) => after === undefined || byAge(after, one) < 0)
    .toSorted(byAge)
    .slice(0, query.limit)
}

/** Extended public keys. */
export const xpubs = (all: ReadonlyArray<Xpub>, query: XpubQuery): ReadonlyArray<Xpub> =>
  all
    .filter((one) => query.includeRetired || one.retiredAt === null)
    .filter((one) => matches(query.network, one.network))
    .toSorted(byAge)

/** A page of deposits. */
export const deposits = (all: ReadonlyArray<Deposit>, query: DepositQuery): ReadonlyArray<Deposit> =>
  all
    .filter(({ changeSeq }) => changeSeq > query.after)
    .filter(({ reference }) => matches(query.reference, reference))
    .toSorted((left, right) => left.changeSeq - right.changeSeq)
    .slice(0, query.limit)

/** Those of a tenant's operations that are in its register. */
export const registered = (all: Iterable<Operation>, legs: ReadonlyArray<PostedLeg>): ReadonlyArray<Operation> => {
  const byOperation = Arr.groupBy(legs, ({ operationId }) => operationId)
  return [...all].filter((one) =>
    concernsTenant(
      one,
      (byOperation[one.id] ?? []).map(({ account }) => account)
    )
  )
}

/** A page of the register. */
export const register = (all: ReadonlyArray<Operation>, query: RegisterQuery): ReadonlyArray<Operation> => {
  const { after } = query
  return all
    .filter((one) => matches(query.kind, one.kind))
    .filter((one) => query.kinds === undefined || query.kinds.includes(one.kind))
    .filter((one) => matches(query.partnerReference, one.partnerReference))
    .filter((one) => matches(query.status, one.status))
    .filter((one) => matches(query.unresolved, one.unresolved))
    .filter((one) => matches(query.currency, one.amount.currency))
    .filter((one) => matches(query.customerId, one.customerId))
    .filter((one) => matches(query.actsFor, one.actsFor))
    .filter((one) => within(one.createdAt, query))
    .filter((one) => after === undefined || byAge(one, after) < 0)
    .toSorted((left, right) => byAge(right, left))
    .slice(0, query.limit)
}

/** Totals by kind, currency and status. */
export const summary = (all: ReadonlyArray<Operation>, span: Span): ReadonlyArray<CategoryTotal> => {
  const totals = new Map<string, CategoryTotal>()
  for (const { amount, createdAt, customerFee, kind, status } of all) {
    if (!within(createdAt, span)) continue
    const key = `${kind}|${amount.currency}|${status}`
    const total = totals.get(key) ?? { kind, currency: amount.currency, status, count: 0, units: 0n, feeUnits: 0n }
    totals.set(key, {
      ...total,
      count: total.count + 1,
      units: total.units + amount.units,
      feeUnits: total.feeUnits + customerFee.units
    })
  }
  return [...totals.values()]
}
