import type { World } from "../world/World.ts"
import type { Carried } from "./judgeRequests.ts"
import { unitsOf } from "./money.ts"
import type { Told } from "./Told.ts"

/** The least that a unit was ever worth here, in whole dollars. */
const leastUsd = (currency: string): bigint => (currency === "ETH" ? 1_500n : 1n)

/** What an operation was worth at the least, in millionths of a dollar. */
const worthOf = ({ currencies }: World, { variant: { meant } }: Carried): bigint => {
  const decimals = currencies.byCode(meant.currency)?.decimals ?? 0
  return (meant.units * leastUsd(meant.currency) * 1_000_000n) / 10n ** BigInt(decimals)
}

const millionths = (usd: string): bigint => unitsOf(usd, 6)

const limited = new Set(["CHAIN_PAYOUT", "WITHDRAWAL"])

/** Nothing leaves that a limit forbids, or that operators had to approve and did not. */
export const judgeLimits = (world: World, carried: ReadonlyArray<Carried>): ReadonlyArray<string> => {
  const { dailyLimitUsd, limitUsd, reviewUsd } = world.config
  const settled = carried.filter(({ entry }) => entry.status === "SETTLED")
  const sumOf = (kind: string): bigint =>
    settled.filter(({ entry }) => entry.kind === kind).reduce((sum, one) => sum + worthOf(world, one), 0n)
  const over = [...limited].filter((kind) => sumOf(kind) > millionths(dailyLimitUsd))
  return [
    ...over.map((kind) => `${kind}s of ${sumOf(kind)} millionths of a dollar left, beyond the limit`),
    ...settled
      .filter((one) => one.entry.kind === "CHAIN_PAYOUT" && worthOf(world, one) > millionths(limitUsd))
      .map(({ entry }) => `${entry.kind} ${entry.id} is beyond the limit of one`),
    ...settled
      .filter(
        (one) =>
          reviewUsd !== null &&
          limited.has(one.entry.kind) &&
          worthOf(world, one) >= millionths(reviewUsd) &&
          !world.records.approved.has(one.entry.id)
      )
      .map(({ entry }) => `${entry.kind} ${entry.id} left, and nobody approved it`)
  ]
}

/** Nothing was ever broadcast that pays a stranger without the partner's word. */
export const judgeConsent = (world: World, { partner }: Told): ReadonlyArray<string> => {
  const { chain, currencies, records } = world
  const own = new Set([partner.wallet, ...partner.addresses])
  const wanted = new Map<string, number>()
  const keyOf = (contract: string | null, to: string | null, units: bigint) => `${units} of ${contract} to ${to}`
  for (const { tenant, variants } of records.asked) {
    if (tenant !== partner.index) continue
    // under one key one of its bodies may be carried out
    for (const { meant } of variants) {
      const contract = currencies.byCode(meant.currency)?.asset?.contract ?? null
      const key = keyOf(contract, meant.to, meant.units)
      wanted.set(key, (wanted.get(key) ?? 0) + 1)
    }
  }
  const seen = new Map<string, Set<string>>()
  for (const { from, payments, sequence } of chain.seen()) {
    if (sequence === null || !own.has(from)) continue
    for (const { contract, to, units } of payments) {
      if (own.has(to)) continue
      const key = keyOf(contract, to, units)
      seen.set(key, (seen.get(key) ?? new Set()).add(`${from} ${sequence}`))
    }
  }
  return [...seen.keys()].filter((key) => !wanted.has(key)).map((key) => `${key} was signed, and nobody asked for it`)
}

/** The numbers that come after a greater one. */
const lateOf = (ids: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...new Set(ids)].filter((id, index, all) => all.slice(0, index).some((earlier) => earlier > id))

/** Webhooks tell what the feed tells, begun in its order, and what concerns one thing one after the other. */
const judgeWebhooks = ({ records }: World, index: number, events: Told["events"]): ReadonlyArray<string> => {
  const received = records.received[index] ?? []
  const bodies = new Map<number, string>()
  const changed = received.flatMap(({ body, eventId }) => {
    const before = bodies.get(eventId)
    bodies.set(eventId, before ?? body)
    return before === undefined || before === body ? [] : [`event ${eventId} was told in two ways`]
  })
  const resources = Map.groupBy(received, ({ eventId }) => events[eventId - 1]?.resource_id)
  const overtaken = [...resources.values()].flatMap((own) => lateOf(own.map(({ eventId }) => eventId)))
  return [
    ...changed,
    ...overtaken.map((id) => `event ${id} was told after a later one of the same thing`),
    ...lateOf(records.begun[index] ?? []).map((id) => `event ${id} was first sent after a later one`),
    ...[...bodies.keys()].filter((id) => id > events.length).map((id) => `event ${id} is not in the feed`)
  ]
}

const outcomes = /^(chain_payout|withdrawal|swap)[.](settled|failed)$/u

/** The feed has no gap, each outcome is told once and as it is, and webhooks tell the same in its order. */
export const judgeEvents = (
  world: World,
  { events, partner, register }: Told,
  carried: ReadonlyArray<Carried>
): ReadonlyArray<string> => {
  const gaps = events.filter(({ id }, index) => id !== index + 1).map(({ id }) => `event ${id} is out of its place`)
  const told = carried.flatMap(({ entry: { id, kind, status } }) => {
    const own = events.filter(({ kind: event, resource_id }) => resource_id === id && outcomes.test(event))
    const right = `${kind.toLowerCase()}.${status.toLowerCase()}`
    return own.length === 1 && own[0]?.kind === right
      ? []
      : [`${kind} ${id} is ${status}, and told as ${own.map((event) => event.kind).join(", ") || "nothing"}`]
  })
  const credits = register
    .filter(({ kind }) => kind === "DEPOSIT")
    .flatMap(({ id }) => {
      const own = events.filter(({ kind, resource_id }) => kind === "deposit.settled" && resource_id === id)
      return own.length === 1 ? [] : [`the credit ${id} was told ${own.length} times`]
    })
  return [...gaps, ...told, ...credits, ...judgeWebhooks(world, partner.index, events)]
}
