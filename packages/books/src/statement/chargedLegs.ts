import { isOwed } from "@bursar/core/ledger/Account"
import type { LegPurpose, PostedLeg } from "@bursar/core/ledger/Leg"

/** What is booked on `fees` for anything else is between the service and the custodian or the bank: gains, losses, what they took. */
const purposes: ReadonlySet<LegPurpose> = new Set(["fee", "return"])

/**
 * The legs on `fees` of a posting by which the tenant was charged, or was given back: each of them has its other side on an account of
 * the tenant.
 */
export const chargedLegs = (legs: ReadonlyArray<PostedLeg>): ReadonlyArray<PostedLeg> => {
  const theirs = legs.filter(({ account }) => isOwed(account))
  return legs.filter(({ account, currency, direction, units, what }) => {
    if (account !== "fees" || !purposes.has(what)) return false
    const at = theirs.findIndex(
      (one) => one.what === what && one.currency === currency && one.units === units && one.direction !== direction
    )
    // one leg is the other side of one alone
    return at >= 0 && theirs.splice(at, 1).length > 0
  })
}
