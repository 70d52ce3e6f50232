import { addressUnverified } from "@bursar/worker/deliver/attempt"
import { leastMillionths } from "../outside/Market.ts"
import type { PartnerOfWorld } from "../people/letIn.ts"
import type { World } from "../world/World.ts"
import type { Carried } from "./judgeRequests.ts"
import { unitsOf } from "../model/money.ts"
import type { Told } from "./Told.ts"

/** What an operation was worth at the least, in millionths of a dollar. */
const worthOf = ({ currencies }: World, { variant: { meant } }: Carried): bigint => {
  const decimals = currencies.byCode(meant.currency)?.decimals ?? 0
  return (meant.units * leastMillionths(meant.currency)) / 10n ** BigInt(decimals)
}

const millionths = (usd: string): bigint => unitsOf(usd, 6)

/** What counts in one limit. */
const payouts: ReadonlySet<string> = new Set(["CHAIN_PAYOUT", "OFF_RAMP", "BANK_TRANSFER", "REFUND"])
const withdrawals: ReadonlySet<string> = new Set(["WITHDRAWAL"])

/** Nothing leaves that a limit forbids, or that operators had to approve and did not. */
export const judgeLimits = (world: World, carried: ReadonlyArray<Carried>): ReadonlyArray<string> => {
  const { dailyLimitUsd, limitUsd, reviewUsd } = world.config
  const settled = carried.filter(({ entry }) => entry.status === "SETTLED" || entry.status === "RETURNED")
  const sumOf = (kinds: ReadonlySet<string>): bigint =>
    settled.filter(({ entry }) => kinds.has(entry.kind)).reduce((sum, one) => sum + worthOf(world, one), 0n)
  const over = [payouts, withdrawals].map(sumOf).filter((sum) => sum > millionths(dailyLimitUsd))
  return [
    ...over.map((sum) => `${sum} millionths of a dollar left, beyond the limit`),
    ...settled
      .filter((one) => payouts.has(one.entry.kind) && worthOf(world, one) > millionths(limitUsd))
      .map(({ entry }) => `${entry.kind} ${entry.id} is beyond the limit of one`),
    ...settled
      .filter(
        (one) =>
          reviewUsd !== null &&
          (payouts.has(one.entry.kind) || withdrawals.has(one.entry.kind)) &&
          worthOf(world, one) >= millionths(reviewUsd) &&
          !world.records.approved.has(one.entry.id)
      )
      .map(({ entry }) => `${entry.kind} ${entry.id} left, and nobody approved it`)
  ]
}

/** Nothing was ever broadcast that pays a stranger without the partner's word. */
export const judgeConsent = (world: World, { partner }: Told): ReadonlyArray<string> => {
  const { chain, currencies, records } = world
  const own = new Set([...partner.wallets, ...partner.addresses])
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
  const seen = new Set(
    chain
      .seen()
      .filter(({ from }) => own.has(from))
      .flatMap(({ payments }) => payments.filter(({ to }) => !own.has(to)))
      .map(({ contract, to, units }) => keyOf(contract, to, units))
  )
  return [...seen].filter((key) => !wanted.has(key)).map((key) => `${key} was signed, and nobody asked for it`)
}

/** The numbers that come after a greater one. */
const lateOf = (ids: ReadonlyArray<number>): ReadonlyArray<number> =>
  [...new Set(ids)].filter((id, index, all) => all.slice(0, index).some((earlier) => earlier > id))

/** The events of which an attempt was not sent, as the address that they name could not be verified then. They hold up no other. */
const heldBack = ({ state }: World, { id }: PartnerOfWorld): ReadonlySet<number> =>
  new Set(
    [...(state.tenants.get(id)?.deliveries.values() ?? [])].flatMap(({ attempts }) =>
      attempts.flatMap(({ eventId, problem }) => (problem === addressUnverified ? [eventId] : []))
    )
  )

/** Webhooks tell what the feed tells, begun in its order, and what concerns one thing one after the other. */
const judgeWebhooks = (world: World, partner: PartnerOfWorld, events: Told["events"]): ReadonlyArray<string> => {
  const { config, records } = world
  const { index } = partner
  const held = heldBack(world, partner)
  // of several that were begun in order any may send first, where fibers give way at any step
  const begun = config.pauseWithin === null ? (records.begun[index] ?? []) : []
  const lateIn = (ids: ReadonlyArray<number>) => lateOf(ids).filter((id) => !held.has(id))
  const received = records.received[index] ?? []
  const bodies = new Map<number, string>()
  const changed = received.flatMap(({ body, eventId }) => {
    const before = bodies.get(eventId)
    bodies.set(eventId, before ?? body)
    return before === undefined || before === body ? [] : [`event ${eventId} was told in two ways`]
  })
  const resources = Map.groupBy(received, ({ eventId }) => events[eventId - 1]?.resource_id)
  const overtaken = [...resources.values()].flatMap((own) => lateIn(own.map(({ eventId }) => eventId)))
  return [
    ...changed,
    ...overtaken.map((id) => `event ${id} was told after a later one of the same thing`),
    ...lateIn(begun).map((id) => `event ${id} was first sent after a later one`),
    ...[...bodies.keys()].filter((id) => id > events.length).map((id) => `event ${id} is not in the feed`)
  ]
}

/** What the events of each kind begin with. */
const families: Readonly<Record<string, string>> = {
  CHAIN_PAYOUT: "chain_payout",
  WITHDRAWAL: "withdrawal",
  SWAP: "swap",
  ON_RAMP: "transfer",
  INTERNAL_TRANSFER: "transfer",
  OFF_RAMP: "payout",
  BANK_TRANSFER: "payout",
  REFUND: "payout"
}

/** Whether the outcomes that were told, in their order, are those of a status. */
const tellsOf = (status: string, told: ReadonlyArray<string>): boolean =>
  status === "RETURNED"
    ? /^(settled )?returned( returned)*$/u.test(told.join(" "))
    : told.join(" ") === status.toLowerCase()

/** The feed has no gap, and each outcome is told once and as it is. */
export const judgeFeed = (
  { events, register }: Pick<Told, "events" | "register">,
  carried: ReadonlyArray<Carried>
): ReadonlyArray<string> => {
  const gaps = events.filter(({ id }, index) => id !== index + 1).map(({ id }) => `event ${id} is out of its place`)
  const told = carried.flatMap(({ entry: { id, kind, status } }) => {
    const family = families[kind] ?? ""
    const own = events
      .filter(({ resource_id }) => resource_id === id)
      .flatMap((event) => (event.kind.startsWith(`${family}.`) ? event.kind.slice(family.length + 1) : []))
      .filter((outcome) => outcome !== "unresolved")
    return tellsOf(status, own) ? [] : [`${kind} ${id} is ${status}, and told as ${own.join(", ") || "nothing"}`]
  })
  const credits = register
    .filter(({ kind }) => kind === "DEPOSIT")
    .flatMap(({ id }) => {
      const own = events.filter(({ kind, resource_id }) => kind === "deposit.settled" && resource_id === id)
      return own.length === 1 ? [] : [`the credit ${id} was told ${own.length} times`]
    })
  return [...gaps, ...told, ...credits]
}

/** The feed tells what became of everything, and webhooks tell the same in its order. */
export const judgeEvents = (world: World, told: Told, carried: ReadonlyArray<Carried>): ReadonlyArray<string> => [
  ...judgeFeed(told, carried),
  ...judgeWebhooks(world, told.partner, told.events)
]
