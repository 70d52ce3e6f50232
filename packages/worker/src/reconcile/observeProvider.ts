import type { Environment } from "@bursar/core/base/Environment"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Custodian, CustodianAsset } from "@bursar/core/port/Custodian"
import type { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { ReadStatement } from "@bursar/core/port/ProviderStatement"
import { ProviderError } from "@bursar/core/port/ProviderError"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { exactly, inFlightOf, maybe, type Movement, plus, type Range } from "@bursar/core/reconciliation/Movement"
import { type Place, positionKey, providerPlace } from "@bursar/core/reconciliation/Place"
import { PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { type AskedProvider, providerMovements } from "@bursar/core/reconciliation/providerMovements"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { unknownLines } from "./assignUnknown.ts"
import type { Finding } from "./Finding.ts"
import { readableBreaks, readableOf, unlessUnreadable } from "./leftOut.ts"
import { joinedTo, type Pool, poolsOf } from "./pools.ts"

/** Whoever keeps value for the service off the networks, as far as it matters here. */
export interface Keeper {
  readonly kind: "custodian" | "bank"
  readonly name: string
  readonly environment: Environment
  /** What it holds by currency; undefined where it does not tell. Currencies of one pool all show the whole pool. */
  readonly balances: Effect.Effect<ReadonlyMap<string, bigint>, ProviderError> | undefined
  /** What it tells of its own books, line by line; undefined where it does not. */
  readonly statement: ReadStatement | undefined
  /** The currencies that are one holding there, by any of them; each is its own where it says nothing. */
  readonly pools: Effect.Effect<ReadonlyArray<Pick<CustodianAsset, "currency" | "pool">>, ProviderError>
  /** Who pays for the network of a withdrawal. */
  readonly networkFeeBorneBy: AskedProvider["networkFeeBorneBy"]
}

/** For so long a keeper's answer is waited for: whoever never answers must not keep its places from being looked at, and what was imported from being compared. */
const answersWithinMs = 60_000

const answered =
  (provider: string, doing: string) =>
  <A>(asked: Effect.Effect<A, ProviderError>): Effect.Effect<A, ProviderError> => {
    const detail = `it has not answered within ${answersWithinMs} ms`
    const late = Effect.fail(new ProviderError({ provider, doing, detail }))
    return Effect.timeoutOrElse(asked, { duration: answersWithinMs, orElse: () => late })
  }

/** What a keeper tells of its books, where it tells it in time. */
const toldInTime = (provider: string, read: ReadStatement | undefined): ReadStatement | undefined =>
  read && ((since, until) => answered(provider, "tell its statement")(read(since, until)))

/** A custodian as a keeper. */
export const custodianKeeper = ({
  assets,
  balances,
  environment,
  name,
  networkFeeBorneBy,
  statement
}: Custodian["Service"]): Keeper => ({
  kind: "custodian",
  name,
  environment,
  balances: answered(name, "tell its balances")(balances),
  statement: toldInTime(name, statement),
  pools: answered(name, "tell its assets")(assets),
  networkFeeBorneBy
})

/** A fiat provider as a keeper: many tell no balance. */
export const bankKeeper = ({ balances, environment, name, statement }: FiatProvider["Service"]): Keeper => ({
  kind: "bank",
  name,
  environment,
  balances: balances && answered(name, "tell its balances")(balances),
  statement: toldInTime(name, statement),
  pools: Effect.succeed([]),
  // it sends to no network
  networkFeeBorneBy: "RECEIVER"
})

/** So much earlier than it was asked an order may have ended that the keeper does not show yet: clocks differ. */
const slackMs = 30_000

const scaled = ({ least, most }: Range, by: bigint): Range => ({ least: least * by, most: most * by })

const inPool = (movement: Movement, { currency, factors }: Pool): Movement => ({
  ...movement,
  currency,
  inFlight: scaled(movement.inFlight, factors.get(movement.currency) ?? 0n)
})

/** What the books say of the place of a keeper. */
export const bookedAt = Effect.fnUntraced(function* ({ environment, kind, name }: Keeper) {
  const since = yield* Clock.currentTimeMillis
  return (yield* (yield* Positions).provider({ account: kind, environment, provider: name, since })).balances
})

/**
 * What has come to a keeper by its statement and nobody has booked yet: the service learns of it soon. What has left without its doing is
 * not counted: that is a break at once.
 */
const announced = Effect.fnUntraced(function* (place: Place, now: Timestamp, graceMs: number) {
  const lines = yield* unknownLines(place.name)
  return lines
    .filter(({ at, units }) => units > 0n && now - at < graceMs)
    .map(({ at, currency, id, units }): Movement => ({
      place: place.name,
      currency,
      inFlight: inFlightOf({ booked: exactly(0n), shown: maybe(units) }),
      cause: { kind: "statement_line", id, tenantId: fleetTenantId, at }
    }))
})

/** Whether something is still shown of a currency that a place has nothing of now: an open break, or what the last look found; also where that cannot be read: what is found now is written over it. */
const isShown = Effect.fnUntraced(
  function* (place: Place, currency: string) {
    const { record, records } = yield* Queries
    const key = positionKey(place.name, currency)
    const last = yield* record(fleetTenantId, PlaceObservation, key)
    const units = last && [last.ledger, last.observed ?? 0n, last.inFlightLeast, last.inFlightMost]
    return (
      units?.some((one) => one !== 0n) === true || (yield* records(fleetTenantId, ReconciliationBreak, key)).length > 0
    )
  },
  Effect.catchDefect(() => Effect.succeed(true))
)

/** What of a keeper that takes no new orders is in flight, and what its statements have shown already: it counts once. */
const toldAt = (place: Place, counted: Place) =>
  Effect.map(readableBreaks, (all) =>
    all.flatMap(({ about, closedAt, currency, place: of, since: at, units }): ReadonlyArray<Movement> =>
      of === place.name && about !== null && closedAt === null
        ? [
            {
              place: counted.name,
              currency,
              inFlight: maybe(units),
              cause: { kind: about.kind, id: about.id, tenantId: fleetTenantId, at }
            }
          ]
        : []
    )
  )

/** Keepers of one kind and environment: the one that takes new orders, and those that only finish theirs. */
export interface KeepersTogether {
  readonly current: Keeper
  readonly earlier: ReadonlyArray<Keeper>
}

/** Keepers that share an account of the chart in the books, in the order in which they are given: the first takes new orders. */
export const together = (keepers: ReadonlyArray<Keeper>): ReadonlyArray<KeepersTogether> =>
  [...Map.groupBy(keepers, ({ environment, kind }) => `${kind} ${environment}`).values()].flatMap(
    ([current, ...earlier]) => (current === undefined ? [] : [{ current, earlier }])
  )

/** What a keeper holds, by its word; undefined where it does not tell. */
interface HeldBy {
  readonly place: Place
  readonly pools: ReadonlyArray<Pool>
  readonly held: ReadonlyMap<string, bigint> | undefined
}

const heldBy = Effect.fnUntraced(function* (keeper: Keeper, currencies: CurrencyTable) {
  const held = keeper.balances === undefined ? undefined : yield* keeper.balances
  const pools = poolsOf(yield* keeper.pools, currencies)
  return { place: providerPlace(keeper.kind, keeper.name), pools, held } satisfies HeldBy
})

/** Nothing is found of the currencies that were a holding by themselves, and are a part of another now: all of them is there. */
const findingsOfJoined = Effect.fnUntraced(function* ({ held, place, pools }: HeldBy, at: Timestamp) {
  const found = held === undefined ? null : { ledger: 0n, observed: 0n, inFlight: exactly(0n) }
  const joined = yield* Effect.filter(pools.flatMap(joinedTo), ({ currency }) => isShown(place, currency))
  return joined.map(({ currency }): Finding => ({ place, currency, at, block: null, ledger: 0n, found, movements: [] }))
})

/** What is found at an earlier keeper: its share of the books is what it holds. */
const findingsAtEarlier = Effect.fnUntraced(function* ({ held, place, pools }: HeldBy, at: Timestamp) {
  const findings: Array<Finding> = []
  for (const pool of pools) {
    const { currency } = pool
    const observed = held?.get(currency) ?? 0n
    if (observed === 0n && !(yield* isShown(place, currency))) continue
    const found = held === undefined ? null : { ledger: observed, observed, inFlight: exactly(0n) }
    findings.push({ place, currency, at, block: null, ledger: observed, found, movements: [], joined: joinedTo(pool) })
  }
  return findings
})

/** What earlier keepers hold of what is one holding at the current one. */
const heldElsewhere = (others: ReadonlyArray<HeldBy>, { factors }: Pool): bigint =>
  others
    .flatMap(({ held, pools }) =>
      pools.map(({ currency }) => (held?.get(currency) ?? 0n) * (factors.get(currency) ?? 0n))
    )
    .reduce((sum, units) => sum + units, 0n)

/**
 * Asks keepers what they hold, and then the books what they say and which orders are with them.
 *
 * **Details**
 *
 * The books have one account for all keepers of a kind and environment, and do not say at which of them a coin stands. So the share of
 * those that take no new orders is what they hold, and the share of the current one is all the rest. The differences of all add up to what
 * the account and all holdings differ by: nothing is hidden, and coins may be moved from one to the other without a booking. Where one
 * of them tells no balance, nobody knows what the others should hold.
 */
export const observeProviders = Effect.fn("reconcile.observeProviders")(function* (
  { current, earlier }: KeepersTogether,
  currencies: CurrencyTable,
  graceMs: number
): Effect.fn.Return<ReadonlyArray<Finding>, ProviderError | StorageError, Positions | Queries> {
  const asked = yield* Clock.currentTimeMillis
  const own = yield* heldBy(current, currencies)
  const others = yield* Effect.forEach(earlier, (keeper) => heldBy(keeper, currencies))
  const since = asked - slackMs
  const positions = yield* Positions
  const { place } = own
  const movements: Array<Movement> = []
  const booked = new Map<string, bigint>()
  for (const { environment, kind, name, networkFeeBorneBy } of [current, ...earlier]) {
    const { balances, operations, unreadable } = yield* positions.provider({
      account: kind,
      environment,
      provider: name,
      since
    })
    const there = providerPlace(kind, name)
    for (const one of yield* readableOf({ records: operations, unreadable })) {
      // its amounts are read only now
      const moving = Effect.sync(() => providerMovements(place, [one], { asked: since, networkFeeBorneBy }))
      movements.push(...((yield* unlessUnreadable(`operation ${one.id}`, moving)) ?? []))
    }
    const known = yield* unlessUnreadable(`what ${there.name} has told`, announced(there, asked, graceMs))
    movements.push(...(known ?? []))
    if (name === current.name) for (const { currency, units } of balances) booked.set(currency, units)
    else movements.push(...(yield* toldAt(there, place)))
  }
  const at = yield* Clock.currentTimeMillis
  const isTold = [own, ...others].every(({ held }) => held !== undefined)
  const findings: Array<Finding> = []
  for (const one of [own, ...others]) findings.push(...(yield* findingsOfJoined(one, at)))
  for (const one of others) findings.push(...(yield* findingsAtEarlier(one, at)))
  for (const pool of own.pools) {
    const { currency } = pool
    const total = [...pool.factors].reduce((sum, [code, factor]) => sum + (booked.get(code) ?? 0n) * factor, 0n)
    const ledger = total - heldElsewhere(others, pool)
    const observed = own.held?.get(currency) ?? 0n
    const flying = movements.filter((one) => pool.factors.has(one.currency)).map((one) => inPool(one, pool))
    const isEmpty = ledger === 0n && observed === 0n && flying.length === 0
    if (isEmpty && !(yield* isShown(place, currency))) continue
    const inFlight = flying.reduce((sum, one) => plus(sum, one.inFlight), exactly(0n))
    const found = isTold ? { ledger, observed, inFlight } : null
    findings.push({ place, currency, at, block: null, ledger, found, movements: flying, joined: joinedTo(pool) })
  }
  return findings
})

/** The same of one keeper that has its account alone. */
export const observeProvider = (
  keeper: Keeper,
  currencies: CurrencyTable,
  graceMs: number
): Effect.Effect<ReadonlyArray<Finding>, ProviderError | StorageError, Positions | Queries> =>
  observeProviders({ current: keeper, earlier: [] }, currencies, graceMs)
