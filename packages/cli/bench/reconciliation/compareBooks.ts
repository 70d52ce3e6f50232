import type { Environment } from "@bursar/core/base/Environment"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Positions } from "@bursar/core/reconciliation/Positions"
import { judgeOpen } from "@bursar/core/reconciliation/recordObservation"
import { layer as postgresLayer } from "@bursar/postgres"
import { type Keeper, observeProvider } from "@bursar/worker/reconcile/observeProvider"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Redacted } from "effect"

/** The amount of the oldest leg, which no other has. */
export const oldest = 123_456_789n

/** The currency of an environment's legs. */
export const currencyOf = (environment: Environment): string => (environment === "LIVE" ? "BTC" : "EUR")

/** What comparing books with a custodian took. */
export interface Compared {
  readonly legs: number
  readonly comparedSeconds: number
  /** How long it took to name the oldest line of all as what could explain a difference. */
  readonly namedSeconds: number
  /** The most memory that the process had. */
  readonly peakMiB: number
}

const compare = Effect.fnUntraced(function* (environment: Environment) {
  const currency = currencyOf(environment)
  const positions = yield* Positions
  const { balances } = yield* positions.provider({ account: "custodian", environment, provider: "bench", since: 0 })
  const booked = balances.find((one) => one.currency === currency)?.units ?? 0n
  const keeper: Keeper = {
    kind: "custodian",
    name: "bench",
    environment,
    // what the oldest leg brought is gone
    balances: Effect.succeed(new Map([[currency, booked - oldest]])),
    statement: undefined,
    pools: Effect.succeed([]),
    networkFeeBorneBy: "RECEIVER"
  }
  const started = performance.now()
  const [finding, ...others] = yield* observeProvider(keeper, defaultCurrencies, 0)
  const compared = performance.now()
  const units = finding?.found == null ? 0n : judgeOpen(finding.found, []).difference
  if (units !== oldest || others.length > 0) return yield* Effect.die(new Error("the difference was not found"))
  const sought = { account: "custodian", currency, units, around: Date.now(), limit: 10 } as const
  const named = yield* positions.lines(sought)
  if (named.length !== 1) return yield* Effect.die(new Error(`${named.length} lines were named, and one explains it`))
  return { comparedSeconds: (compared - started) / 1_000, namedSeconds: (performance.now() - compared) / 1_000 }
})

// A process of its own, which tells its own peak: the database, the environment and the count of its legs are its arguments.
const run = Effect.gen(function* () {
  const [url = "", environment = "", legs = ""] = process.argv.slice(2)
  const services = postgresLayer({
    url: Redacted.make(url),
    maxConnections: 4,
    applicationName: "bench-reconciliation"
  })
  const took = yield* Effect.provide(compare(environment === "LIVE" ? "LIVE" : "SANDBOX"), services)
  const told: Compared = { ...took, legs: Number(legs), peakMiB: process.resourceUsage().maxRSS / 1_024 }
  yield* Console.log(JSON.stringify(told))
})

if (import.meta.main) NodeRuntime.runMain(run)
