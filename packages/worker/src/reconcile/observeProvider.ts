import type { Environment } from "@bursar/core/base/Environment"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Custodian, CustodianAsset } from "@bursar/core/port/Custodian"
import type { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { ReadStatement } from "@bursar/core/port/ProviderStatement"
import type { ProviderError } from "@bursar/core/port/ProviderError"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { exactly, inFlightOf, maybe, type Movement, plus, type Range } from "@bursar/core/reconciliation/Movement"
import { type Place, positionKey, providerPlace } from "@bursar/core/reconciliation/Place"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { providerMovements } from "@bursar/core/reconciliation/providerMovements"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { unknownLines } from "./assignUnknown.ts"
import type { Finding } from "./Finding.ts"
import { type Pool, poolsOf } from "./pools.ts"

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
}

/** A custodian as a keeper. */
export const custodianKeeper = ({ assets, balances, environment, name, statement }: Custodian["Service"]): Keeper => ({
  kind: "custodian",
  name,
  environment,
  balances,
  statement,
  pools: assets
})

/** A fiat provider as a keeper: many tell no balance. */
export const bankKeeper = ({ balances, environment, name, statement }: FiatProvider["Service"]): Keeper => ({
  kind: "bank",
  name,
  environment,
  balances,
  statement,
  pools: Effect.succeed([])
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

const hasOpenBreak = (place: Place, currency: string) =>
  Effect.map(
    Effect.flatMap(Queries, ({ records }) =>
      records(fleetTenantId, ReconciliationBreak, positionKey(place.name, currency))
    ),
    (open) => open.length > 0
  )

/** Asks a keeper what it holds, and then the books what they say and which orders are with it. */
export const observeProvider = Effect.fn("reconcile.observeProvider")(function* (
  keeper: Keeper,
  currencies: CurrencyTable,
  graceMs: number
): Effect.fn.Return<ReadonlyArray<Finding>, ProviderError | StorageError, Positions | Queries> {
  const { environment, kind, name } = keeper
  const place: Place = providerPlace(kind, name)
  const asked = yield* Clock.currentTimeMillis
  const held = keeper.balances === undefined ? undefined : yield* keeper.balances
  const pooled = yield* keeper.pools
  const since = asked - slackMs
  const positions = yield* Positions
  const { balances, operations } = yield* positions.provider({ account: kind, environment, provider: name, since })
  const movements = [...providerMovements(place, operations, since), ...(yield* announced(place, asked, graceMs))]
  const at = yield* Clock.currentTimeMillis
  const booked = new Map(balances.map(({ currency, units }) => [currency, units]))
  const findings: Array<Finding> = []
  for (const pool of poolsOf(pooled, currencies)) {
    const { currency } = pool
    const ledger = [...pool.factors].reduce((sum, [code, factor]) => sum + (booked.get(code) ?? 0n) * factor, 0n)
    const observed = held?.get(currency) ?? 0n
    const flying = movements.filter((one) => pool.factors.has(one.currency)).map((one) => inPool(one, pool))
    const isEmpty = ledger === 0n && observed === 0n && flying.length === 0
    if (isEmpty && !(yield* hasOpenBreak(place, currency))) continue
    const inFlight = flying.reduce((sum, one) => plus(sum, one.inFlight), exactly(0n))
    const found = held === undefined ? null : { ledger, observed, inFlight }
    findings.push({ place, currency, at, block: null, ledger, found, movements: flying })
  }
  return findings
})
