import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import type { Ruling } from "../grant/Ruling.ts"
import { ungranted } from "../grant/leavingByGrants.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import { assetPlaceOf } from "../operation/assetPlace.ts"
import type { Operation } from "../operation/Operation.ts"
import { reservationReads, unreservedAt } from "../operation/reserveAssets.ts"
import type { Objection, WaitReason } from "../operation/waits.ts"
import { type Unsigned, unsignedObjection } from "./unsigned.ts"
import { outOfReach, type Reached } from "../environment/reach.ts"

/** What of an operation says what has to be read to know whether it may leave. None of it ever changes. */
export type Leaving = Pick<Operation, "actsFor" | "amount" | "customerId" | "id" | "kind" | "network" | "provider">

/**
 * A condition of leaving: why an operation may not leave as things stand, in words; undefined where it may. `through` is the network or
 * the provider that is to carry it out.
 */
export type LeavingRule = (view: View, operation: Operation, through: Reached) => string | undefined

/** Conditions in the order in which they are asked, each with the reason that a wait for it has. */
export type LeavingRules = ReadonlyArray<readonly [WaitReason, LeavingRule]>

/** The tenant is active. */
export const inactive: LeavingRule = ({ tenant }) =>
  tenant.status === "ACTIVE" ? undefined : `The tenant is ${tenant.status}.`

/** What carries it out is of the tenant's environment: the kind of a tenant and the name of a provider are rows, which somebody may change. */
export const foreign: LeavingRule = ({ tenant }, _, through) => outOfReach(tenant, through)

/** No operator has to approve it first. */
export const inReview: LeavingRule = (_, { status }) =>
  status === "IN_REVIEW" ? "An operator has to approve it." : undefined

/** A deposit that was reorged away, or a return, took more than was free: what is reserved is not the tenant's to spend until that is covered. */
export const overdrawn: LeavingRule = (view, { amount: { currency } }) =>
  view.balance("float:available", currency).units < 0n
    ? `The float in ${currency} is below zero: it has to be covered first.`
    : undefined

/**
 * What leaves must stand where it leaves from, beside what operations in flight take there: else it would be paid with nobody's
 * coins. `reserved` says whether the operation has reserved its own already.
 */
export const uncovered =
  (reserved: (view: View, operation: Operation) => boolean): LeavingRule =>
  (view, operation) => {
    const place = assetPlaceOf(operation)
    if (place === undefined) return undefined
    const { currency, units } = operation.amount
    const free = unreservedAt(view, place, currency) + (reserved(view, operation) ? units : 0n)
    return free < units
      ? `${place} has ${free} units of ${currency} in the books that nothing in flight takes, ${units} are needed.`
      : undefined
  }

const placed = <A>(operation: Leaving, use: (place: AssetAccount) => ReadonlyArray<A>): ReadonlyArray<A> => {
  const place = assetPlaceOf(operation)
  return place === undefined ? [] : use(place)
}

/** What `overdrawn` and `uncovered` read. */
export const coverReads = (operation: Leaving): ReadonlyArray<Read> => [
  { _tag: "Balance", account: "float:available", currency: operation.amount.currency },
  ...placed(operation, (place) => reservationReads(place, operation.amount.currency))
]

/** The first condition that does not hold; undefined where all do. */
export const firstObjection = (
  rules: LeavingRules,
  view: View,
  operation: Operation,
  through: Reached
): Objection | undefined => {
  for (const [reason, rule] of rules) {
    const detail = rule(view, operation, through)
    if (detail !== undefined) return { reason, detail }
  }
  return undefined
}

/** What the grants of the tenant say against it, whatever the rows say. */
export const notGranted = (view: View, operation: Operation, ruling: Ruling): Objection | undefined => {
  const detail = ungranted(ruling, { operation, tenant: view.tenant, now: view.now })
  return detail === undefined ? undefined : { reason: "not_granted", detail }
}

/** What was seen of the partner's signature that speaks against it. */
export const notSigned = (operation: Operation, seen: Unsigned | undefined): Objection | undefined => {
  const detail = unsignedObjection(operation, seen)
  return detail === undefined ? undefined : { reason: "not_granted", detail }
}
