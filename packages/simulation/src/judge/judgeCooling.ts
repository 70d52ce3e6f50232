import type { GrantedAddress } from "../world/Records.ts"
import type { World } from "../world/World.ts"

const hourMs = 3_600_000

/** An order that is on its way to the custodian as its destination is replaced may come this much later. */
const onItsWayMs = 60_000

/** A destination, and from when on it receives. */
interface Receiver extends Pick<GrantedAddress, "address" | "currency" | "tenant"> {
  readonly from: number
}

/** The destinations in the order in which they were granted, each with the moment from which it receives by what was granted before it. */
const receiversOf = ({ destined }: World["records"]): ReadonlyArray<Receiver> => {
  const hours = new Map<number, number>()
  /** Until when a waiting time that was shortened lasts. */
  const lasts = new Map<number, number>()
  const receivers: Array<Receiver> = []
  for (const one of destined) {
    const { tenant } = one
    const waitMs = (hours.get(tenant) ?? 0) * hourMs
    const until = lasts.get(tenant) ?? 0
    if ("hours" in one) {
      if (one.hours * hourMs < waitMs) lasts.set(tenant, Math.max(until, one.at + waitMs))
      hours.set(tenant, one.hours)
    } else {
      const { address, currency } = one
      receivers.push({ tenant, address, currency, from: Math.max(one.usableFrom, one.at + waitMs, until) })
    }
  }
  return receivers
}

/**
 * No destination receives before its waiting time is over, whatever its document says: counted from when it was granted. A shorter one counts for
 * those that follow once the longer one is over. And none receives any more once another that was granted after it does.
 */
export const judgeCooling = ({ exchange, records }: Pick<World, "exchange" | "records">): ReadonlyArray<string> => {
  const receivers = receiversOf(records)
  // one clock has seen the grant, and another says that its time is over
  const slackMs = 2 * records.skewMs
  return exchange.carriedOut.flatMap(({ address, at, paid: { currency }, reference }) => {
    const found = receivers.findLastIndex((one) => one.address === address && one.currency === currency)
    const receiver = receivers[found]
    if (receiver === undefined) return []
    const { from, tenant } = receiver
    if (at + slackMs < from) return [`${reference} was paid to ${address} ${from - at} ms before it may receive`]
    const others = receivers.slice(found + 1).filter((one) => one.tenant === tenant && one.currency === currency)
    const replaced = Math.min(...others.map((one) => one.from))
    return at - slackMs - onItsWayMs > replaced
      ? [`${reference} was paid to ${address} ${at - replaced} ms after another took its place`]
      : []
  })
}
