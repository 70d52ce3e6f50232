import { OperatorApi } from "@bursar/api/OperatorApi"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import * as Addresses from "./handlers/operator/addresses/addresses.ts"
import * as Custody from "./handlers/operator/custody/custody.ts"
import * as HealthGroup from "./handlers/operator/health/health.ts"
import * as Keys from "./handlers/operator/keys/keys.ts"
import * as Payouts from "./handlers/operator/payouts/payouts.ts"
import * as SigningKeys from "./handlers/operator/signingKeys/signingKeys.ts"
import * as Tenants from "./handlers/operator/tenants/tenants.ts"
import * as Webhooks from "./handlers/operator/webhooks/webhooks.ts"
import * as Health from "./http/health.ts"
import { healthPaths } from "./http/health.ts"
import { makeRouteTable } from "./http/RouteTable.ts"
import { bodySize } from "./middleware/bodySize.ts"
import { fallbacks } from "./middleware/fallbacks.ts"
import * as OperatorAuthenticated from "./middleware/operatorAuthenticated.ts"
import { requestId } from "./middleware/requestId.ts"
import { requestLog } from "./middleware/requestLog.ts"
import * as SchemaRefusals from "./middleware/schemaRefusals.ts"

/** Where Prometheus reads. */
const metricsPath = "/metrics"

const openPaths: ReadonlySet<string> = new Set([metricsPath, ...Object.values(healthPaths)])

const routeTable = makeRouteTable([
  ...operationsOf(OperatorApi),
  ...Array.from(openPaths, (path) => ({ method: "GET", path }))
])

const log = requestLog("operator", openPaths)

const lastWords = fallbacks(routeTable)

const surroundings = HttpRouter.middleware((app) => requestId(log(lastWords(bodySize(app)))), { global: true })

const groups = Layer.mergeAll(
  Tenants.layer,
  Keys.layer,
  Addresses.layer,
  SigningKeys.layer,
  Custody.layer,
  Payouts.layer,
  Webhooks.layer,
  HealthGroup.layer
)

/**
 * The operator interface as routes, with `/health` and, for Prometheus, `/metrics`, which need no token. It needs the
 * ports and `ServerConfig`, and a port of its own: never serve it where partners call.
 */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(OperatorApi).pipe(
    Layer.provide(groups),
    Layer.provide(Layer.mergeAll(OperatorAuthenticated.layer, SchemaRefusals.layer))
  ),
  PrometheusMetrics.layerHttp({ path: metricsPath, prefix: "bursar" }),
  Health.layer
).pipe(Layer.provide(surroundings), Layer.provide(HttpServer.layerServices))
