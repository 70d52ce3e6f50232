import type { Signed } from "./Entry.ts"
import { makeMinuteSums, type Part } from "./minuteSums.ts"

/** How many transactions of a tenant on a network are remembered one by one. What replaces one that is forgotten counts beside it. */
const rememberedMax = 10_000

type Place = Pick<Signed, "network" | "tenantId">

const placeOf = ({ network, tenantId }: Place): string => `${tenantId}|${network}`

/** Sums something up over a day, by the transactions of a tenant on a network: one that replaces another counts in its place. */
export const makePerDayCounter = (amountOf: (signed: Signed) => bigint) => {
  const sums = makeMinuteSums()
  const all = new Map<string, Map<string, Part>>()
  return {
    add: (signed: Signed): void => {
      const own = amountOf(signed)
      if (own === 0n) return
      const { at, hash, uses } = signed
      const place = placeOf(signed)
      const counted = all.get(place) ?? new Map<string, Part>()
      const name = uses[0] ?? hash
      const before = counted.get(name)
      // either of two that exclude each other may take effect
      const amount = before !== undefined && before.amount > own ? before.amount : own
      if (before !== undefined) sums.takeBack(before)
      const part = sums.add(place, at, amount)
      // the newest stands last
      counted.delete(name)
      all.set(place, counted.set(name, part))
      const [oldest] = counted.keys()
      if (oldest !== undefined && counted.size > rememberedMax) counted.delete(oldest)
    },
    since: (of: Place, moment: number, [replaced]: ReadonlyArray<string>): bigint => {
      const place = placeOf(of)
      const sum = sums.since(place, moment)
      const before = replaced === undefined ? undefined : all.get(place)?.get(replaced)
      return before !== undefined && sums.counts(before, moment) ? sum - before.amount : sum
    }
  }
}
