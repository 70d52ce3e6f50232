import { fleetTenantId } from "@bursar/core/grant/Grant"
import { positionKey } from "@bursar/core/reconciliation/Place"
import { PlaceObservation } from "@bursar/core/reconciliation/PlaceObservation"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { showObservation } from "@bursar/core/reconciliation/showObservation"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { Queries } from "@bursar/core/store/Queries"
import { Cause, Clock, Effect, Layer, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { ServerConfig } from "../config/ServerConfig.ts"

/** What is told of reconciliation fails alone: whoever scrapes goes by all other metrics, too. */
const logIncomplete = (defect: unknown): Effect.Effect<void> => Effect.logError("metrics.incomplete", Cause.die(defect))

/** What workers have found of the places where value stands: they are processes that nobody scrapes. */
const showReconciliation = Effect.fnUntraced(
  function* ({ readable }: Queries["Service"], { currencies }: ServerConfig["Service"]) {
    // what cannot be read hides no others: the worker tells of a break, and writes over an observation
    const { records: observations } = yield* readable(fleetTenantId, PlaceObservation)
    const { records: breaks } = yield* readable(fleetTenantId, ReconciliationBreak)
    const open = Map.groupBy(
      breaks.filter(({ closedAt }) => closedAt === null),
      ({ currency, place }) => positionKey(place, currency)
    )
    const now = yield* Clock.currentTimeMillis
    for (const one of observations)
      yield* showObservation(one, open.get(PlaceObservation.key(one)) ?? [], currencies, now)
  },
  Effect.catch(logStorageError),
  Effect.catchDefect(logIncomplete)
)

const contradicted = Metric.gauge("operations_contradicted", {
  description:
    "Operations of all tenants that are contradicted, until operators have closed that; 1000 where there are more"
})

/** More than so many are told as so many: each of them wants a person. */
const contradictedMax = 1_000

/** How many operations are contradicted, whoever has found that. */
const showContradicted = Effect.fnUntraced(function* ({ listedOperations }: Queries["Service"]) {
  const open = yield* listedOperations({ contradicted: true, order: "newest", limit: contradictedMax })
  yield* Metric.update(contradicted, open.length)
}, Effect.catch(logStorageError))

/** Where Prometheus reads. */
export const metricsPath = "/metrics"

const ofProcess = Effect.map(PrometheusMetrics.format({ prefix: "bursar" }), (text) =>
  HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
)

/** All metrics of this process, and what the fleet's workers have stored, for Prometheus. */
export const metricsRoute: Layer.Layer<never, never, HttpRouter.HttpRouter | Queries | ServerConfig> =
  Layer.effectDiscard(
    Effect.gen(function* () {
      const [queries, config] = [yield* Queries, yield* ServerConfig]
      const router = yield* HttpRouter.HttpRouter
      const stored = Effect.all([showReconciliation(queries, config), showContradicted(queries)], { discard: true })
      yield* router.add("GET", metricsPath, Effect.andThen(stored, ofProcess))
    })
  )

/** All metrics of a process that answers nothing else, for Prometheus. It asks nobody, so it needs no ports. */
export const processMetricsRoute: Layer.Layer<never, never, HttpRouter.HttpRouter> = HttpRouter.add(
  "GET",
  metricsPath,
  ofProcess
)
