import type { Environment } from "@bursar/core/base/Environment"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Custodian, CustodianAsset } from "@bursar/core/port/Custodian"
import type { FiatProvider } from "@bursar/core/port/FiatProvider"
import type { ProviderError } from "@bursar/core/port/ProviderError"
import { exactly, type Movement, plus, type Range } from "@bursar/core/reconciliation/Movement"
import { type Place, providerPlace } from "@bursar/core/reconciliation/Place"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { providerMovements } from "@bursar/core/reconciliation/providerMovements"
import { Clock, Effect } from "effect"
import type { Finding } from "./Finding.ts"

/** Whoever keeps value for the service off the networks, as far as it matters here. */
export interface Keeper {
  readonly kind: "custodian" | "bank"
  readonly name: string
  readonly environment: Environment
  /** What it holds by currency; undefined where it does not tell. Currencies of one pool all show the whole pool. */
  readonly balances: Effect.Effect<ReadonlyMap<string, bigint>, ProviderError> | undefined
  /** The currencies that are one holding there, by any of them; each is its own where it says nothing. */
  readonly pools: Effect.Effect<ReadonlyArray<Pick<CustodianAsset, "currency" | "pool">>, ProviderError>
}

/** A custodian as a keeper. */
export const custodianKeeper = ({ assets, balances, environment, name }: Custodian["Service"]): Keeper => ({
  kind: "custodian",
  name,
  environment,
  balances,
  pools: assets
})

/** A fiat provider as a keeper: many tell no balance. */
export const bankKeeper = ({ balances, environment, name }: FiatProvider["Service"]): Keeper => ({
  kind: "bank",
  name,
  environment,
  balances,
  pools: Effect.succeed([])
})

/** So much earlier than it was asked an order may have ended that the keeper does not show yet: clocks differ. */
const slackMs = 30_000

/** Currencies that are one holding: told in the one of the most decimals, and named after it. */
interface Pool {
  readonly currency: string
  readonly codes: ReadonlyArray<string>
  readonly scale: (code: string) => bigint
}

const poolsOf = (
  codes: ReadonlyArray<string>,
  pooled: ReadonlyArray<Pick<CustodianAsset, "currency" | "pool">>,
  currencies: CurrencyTable
): ReadonlyArray<Pool> => {
  const poolOf = new Map(pooled.map(({ currency, pool }) => [currency, pool]))
  const decimals = (code: string) => currencies.byCode(code)?.decimals ?? 0
  const groups = Map.groupBy(codes, (code) => poolOf.get(code) ?? code)
  return [...groups.values()].map((group) => {
    const [first = "", ...others] = group.toSorted(
      (one, other) => decimals(other) - decimals(one) || (one < other ? -1 : 1)
    )
    return {
      currency: first,
      codes: [first, ...others],
      scale: (code) => 10n ** BigInt(decimals(first) - decimals(code))
    }
  })
}

const scaled = ({ least, most }: Range, by: bigint): Range => ({ least: least * by, most: most * by })

const inPool = (movement: Movement, { currency, scale }: Pool): Movement => ({
  ...movement,
  currency,
  inFlight: scaled(movement.inFlight, scale(movement.currency))
})

/** What the books say of the place of a keeper. */
export const bookedAt = Effect.fnUntraced(function* ({ environment, kind, name }: Keeper) {
  const since = yield* Clock.currentTimeMillis
  return (yield* (yield* Positions).provider({ account: kind, environment, provider: name, since })).balances
})

/** Asks a keeper what it holds, and then the books what they say and which orders are with it. */
export const observeProvider = Effect.fn("reconcile.observeProvider")(function* (
  keeper: Keeper,
  currencies: CurrencyTable
): Effect.fn.Return<ReadonlyArray<Finding>, ProviderError | StorageError, Positions> {
  const { environment, kind, name } = keeper
  const place: Place = providerPlace(kind, name)
  const asked = yield* Clock.currentTimeMillis
  const held = keeper.balances === undefined ? undefined : yield* keeper.balances
  const pooled = yield* keeper.pools
  const since = asked - slackMs
  const { balances, operations } = yield* (yield* Positions).provider({
    account: kind,
    environment,
    provider: name,
    since
  })
  const movements = providerMovements(place, operations, since)
  const at = yield* Clock.currentTimeMillis
  const booked = new Map(balances.map(({ currency, units }) => [currency, units]))
  const codes = currencies.all.map(({ code }) => code)
  return poolsOf(codes, pooled, currencies).flatMap((pool): ReadonlyArray<Finding> => {
    const ledger = pool.codes.reduce((sum, code) => sum + (booked.get(code) ?? 0n) * pool.scale(code), 0n)
    const observed = held?.get(pool.currency) ?? 0n
    const flying = movements.filter(({ currency }) => pool.codes.includes(currency)).map((one) => inPool(one, pool))
    if (ledger === 0n && observed === 0n && flying.length === 0) return []
    const inFlight = flying.reduce((sum, one) => plus(sum, one.inFlight), exactly(0n))
    const found = held === undefined ? null : { ledger, observed, inFlight }
    return [{ place, currency: pool.currency, at, block: null, ledger, found, movements: flying }]
  })
})
