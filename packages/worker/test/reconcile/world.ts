import type { CurrencyTable } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { Writer } from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { keyed } from "@bursar/testkit/fixtures/deposits"
import { type FakeChain, layerFakeChains } from "@bursar/testkit/fixtures/FakeChain"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { transferTo } from "@bursar/testkit/fixtures/transfers"
import { Effect, Layer, Logger, Metric } from "effect"
import { defaultReconcileLimits, type ReconcileLimits } from "../../src/reconcile/ReconcileLimits.ts"
import * as Reconciler from "../../src/reconcile/Reconciler.ts"
import { until, watching } from "../watch/world.ts"

/** The wallet of the tests, and whoever has stolen its key. */
export const wallet = "0x00000000000000000000000000000000000000A0"

/** Whoever has stolen the wallet's key. */
export const thief = "0x00000000000000000000000000000000000000EE"

/** The place of the wallet. */
export const wallets = "chain:ethereum:payouts"

/** Looks often, so that tests need few ticks. */
export const limits: ReconcileLimits = {
  ...defaultReconcileLimits,
  everyMs: 5_000,
  pollMs: 1_000,
  atLeastMs: 1_000,
  secondLookMs: 2_000,
  waitMs: 3_000,
  alarmAfterMs: 60_000
}

/** A tenant with a wallet on ethereum. */
export const newWallet = Effect.gen(function* () {
  const { id } = yield* newTenant()
  const command = addWallet(
    { network: "ethereum", role: "PAYOUT", seedId: crypto.randomUUID(), index: 0, ...keyed(wallet) },
    presetNetworks
  )
  yield* (yield* Writer).submit(id, command)
  return id
})

/** Runs the reconciler over some chains, and nothing else. */
export const reconciling = (
  chains: ReadonlyArray<FakeChain>,
  more: Partial<ReconcileLimits> = {},
  currencies: CurrencyTable = defaultCurrencies
) => Effect.provide(Reconciler.run({ currencies, limits: { ...limits, ...more } }), layerFakeChains(...chains))

/** Starts the watcher of a chain and the reconciler. */
export const start = (chain: FakeChain, more: Partial<ReconcileLimits> = {}) =>
  Effect.andThen(Effect.forkScoped(watching(chain)), Effect.forkScoped(reconciling([chain], more)))

const fleet = <A, E>(read: (queries: Queries["Service"]) => Effect.Effect<A, E>) =>
  Queries.pipe(Effect.flatMap(read), Effect.orDie)

/** What was found last of a currency at a place. */
export const observationOf = (place: string, currency: string) =>
  Effect.map(
    fleet(({ records }) => records(fleetTenantId, PlaceObservation)),
    (all) => all.find((one) => one.place === place && one.currency === currency)
  )

/** All breaks, the oldest first. */
export const allBreaks = Effect.map(
  fleet(({ records }) => records(fleetTenantId, ReconciliationBreak)),
  (all) => all.toSorted((one, other) => one.since - other.since || (one.id < other.id ? -1 : 1))
)

/** What of each break an operator looks at first. */
export const shownBreaks = Effect.map(allBreaks, (all) =>
  all.map(({ closedAt, currency, place, units }) => ({ place, currency, units, open: closedAt === null }))
)

/** Waits until a currency at a place was looked at again. */
export const observedAgain = (place: string, currency: string) =>
  Effect.gen(function* () {
    const before = (yield* observationOf(place, currency))?.at ?? -1
    yield* until(
      `${currency} at ${place} is looked at again`,
      Effect.map(observationOf(place, currency), (found) => (found?.at ?? -1) > before)
    )
  })

/** Waits until there are so many breaks, open or not. */
export const untilBreaks = (count: number) =>
  until(
    `there are ${count} breaks`,
    Effect.map(allBreaks, (all) => all.length === count)
  )

/** Mines so many of the native asset from an address, by whoever has its key, and enough blocks for it to count. */
export const mineFrom = (chain: FakeChain, from: string, to: string, units: bigint): void => {
  chain.mine([transferTo(to, units, { from })])
  chain.mineMany(3)
}

/** The value of a gauge of a currency at a place. */
export const gaugeOf = (name: string, place: string, currency: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const found = all.find(
      ({ attributes, id }) => id === name && attributes?.["place"] === place && attributes["currency"] === currency
    )
    return found?.type === "Gauge" ? Number(found.state.value) : undefined
  })

/** Keeps the names of what is logged, and metrics that nobody else counts in. */
export const told = (events: Array<string>) =>
  Layer.mergeAll(
    Logger.layer([Logger.make(({ message }) => void events.push(String(message)))]),
    Layer.succeed(Metric.MetricRegistry, new Map())
  )
