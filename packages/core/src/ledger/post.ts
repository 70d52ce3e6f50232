import { type Account, isAsset, isOwed, normalSide } from "./Account.ts"
import { coverShortfall } from "./coverShortfall.ts"
import type { Balance, Leg, PostedLeg } from "./Leg.ts"

/** What identifies a posting in the books. */
export interface PostingContext {
  readonly operationId: string
  readonly postingSeq: number
  readonly postedAt: number
  /** A reorged deposit may leave less than nothing: the coins were never there. */
  readonly mayOverdraw: boolean
  /** It has happened outside: what a place does not have is taken from its part of `suspense`. */
  readonly happened: boolean
}

/** The change a leg makes to the signed balance of its account. */
export const signedDelta = (leg: Leg): bigint => (leg.direction === normalSide(leg.account) ? leg.units : -leg.units)

/** Whether an account must not fall below zero in this posting. */
const isBound = (account: Account, { mayOverdraw }: PostingContext): boolean =>
  isAsset(account) || (isOwed(account) && !mayOverdraw)

/**
 * Writes legs into the books: checks that they balance per currency and that neither what is owed nor what is there falls below
 * zero, then gives each leg its running balance and version. A violation is a bug of the rule that made the legs, so it throws.
 */
export const post = (
  given: ReadonlyArray<Leg>,
  balanceOf: (account: Account, currency: string) => Balance,
  context: PostingContext
): ReadonlyArray<PostedLeg> => {
  const legs = coverShortfall(given, balanceOf, context.happened)
  const sums = new Map<string, bigint>()
  const touched = new Map<string, Balance>()
  const posted = legs.map((leg, ordinal): PostedLeg => {
    if (leg.units <= 0n) throw new Error(`posting of ${context.operationId}: a leg must move more than nothing`)
    sums.set(leg.currency, (sums.get(leg.currency) ?? 0n) + (leg.direction === "DEBIT" ? leg.units : -leg.units))
    const key = `${leg.account}|${leg.currency}`
    const before = touched.get(key) ?? balanceOf(leg.account, leg.currency)
    const after = { ...before, units: before.units + signedDelta(leg), version: before.version + 1 }
    touched.set(key, after)
    return {
      ...leg,
      operationId: context.operationId,
      postingSeq: context.postingSeq,
      postedAt: context.postedAt,
      ordinal,
      balance: after.units,
      version: after.version
    }
  })
  for (const [currency, sum] of sums) {
    if (sum !== 0n) throw new Error(`posting of ${context.operationId}: ${currency} does not balance`)
  }
  for (const balance of touched.values()) {
    const before = balanceOf(balance.account, balance.currency)
    if (isBound(balance.account, context) && balance.units < 0n && balance.units < before.units) {
      throw new Error(`posting of ${context.operationId}: ${balance.account} in ${balance.currency} would be overdrawn`)
    }
  }
  return posted
}
