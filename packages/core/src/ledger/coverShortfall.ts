import { BigInt as Big } from "effect"
import { type Account, type AssetAccount, type BalanceRead, isAsset, shortfallOf } from "./Account.ts"
import type { Balance, Leg, PostedLeg } from "./Leg.ts"

/** What booking something at a place reads: what stands there, and what has left without having been booked in. */
export const placeReads = (place: AssetAccount, currency: string): ReadonlyArray<BalanceRead> =>
  [place, shortfallOf(place)].map((account) => ({ _tag: "Balance", account, currency }))

/**
 * The legs of a posting with what a place does not have taken from `suspense:<place>` instead: coins that left and were never booked
 * in, or are booked in only later. What comes to the place covers that first. So a fact can always be booked, no place ever
 * shows less than nothing, and the two accounts together show what the one would.
 *
 * Only what has `happened` may leave a shortfall. The commands read `placeReads` of every place that they touch.
 */
export const coverShortfall = (
  legs: ReadonlyArray<Leg>,
  balanceOf: (account: Account, currency: string) => Balance,
  happened: boolean
): ReadonlyArray<Leg> => {
  const left = new Map<string, { units: bigint; short: bigint }>()
  return legs.flatMap((leg): ReadonlyArray<Leg> => {
    const { account, currency, direction, units } = leg
    if (!isAsset(account)) return [leg]
    const key = `${account}|${currency}`
    const found = left.get(key) ?? {
      units: balanceOf(account, currency).units,
      // asked for even where nothing is missing, so that a command which forgot to declare it fails in every test of it
      short: -balanceOf(shortfallOf(account), currency).units
    }
    left.set(key, found)
    const beside = { currency, account: shortfallOf(account), what: "shortfall" } as const
    if (direction === "DEBIT") {
      const covered = Big.min(found.short, units)
      found.short -= covered
      found.units += units - covered
      return covered === 0n
        ? [leg]
        : [
            leg,
            { ...beside, direction: "DEBIT", units: covered },
            { ...beside, account, direction: "CREDIT", units: covered }
          ]
    }
    const taken = happened ? Big.min(Big.max(found.units, 0n), units) : units
    found.units -= taken
    found.short += units - taken
    if (taken === units) return [leg]
    const missing: Leg = { ...beside, direction, units: units - taken }
    return taken === 0n ? [missing] : [{ ...leg, units: taken }, missing]
  })
}

/** What of some postings was missing at its place. */
export const shortfallsIn = (legs: ReadonlyArray<PostedLeg>): ReadonlyArray<PostedLeg> =>
  legs.filter(({ account, direction, what }) => what === "shortfall" && direction === "CREDIT" && !isAsset(account))
