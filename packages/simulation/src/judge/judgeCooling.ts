import type { World } from "../world/World.ts"

const hourMs = 3_600_000

/**
 * No destination receives before its waiting time is over, whatever its document says: counted from when it was granted. A shorter one counts for
 * those that follow once the longer one is over.
 */
export const judgeCooling = ({ exchange, records }: Pick<World, "exchange" | "records">): ReadonlyArray<string> => {
  const hours = new Map<number, number>()
  /** Until when a waiting time that was shortened lasts. */
  const lasts = new Map<number, number>()
  const receives = new Map<string, number>()
  for (const one of records.destined) {
    const waitMs = (hours.get(one.tenant) ?? 0) * hourMs
    const until = lasts.get(one.tenant) ?? 0
    if ("hours" in one) {
      if (one.hours * hourMs < waitMs) lasts.set(one.tenant, Math.max(until, one.at + waitMs))
      hours.set(one.tenant, one.hours)
    } else {
      receives.set(`${one.currency} ${one.address}`, Math.max(one.usableFrom, one.at + waitMs, until))
    }
  }
  // one clock has seen the grant, and another says that its time is over
  const slackMs = 2 * records.skewMs
  return exchange.carriedOut.flatMap(({ address, at, paid: { currency }, reference }) => {
    const from = receives.get(`${currency} ${address}`) ?? 0
    return at + slackMs >= from ? [] : [`${reference} was paid to ${address} ${from - at} ms before it may receive`]
  })
}
