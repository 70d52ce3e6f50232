import { OperatorApi } from "@bursar/api/OperatorApi"
import { operationsOf } from "@bursar/api/openapi/Operation"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ConsoleFiles } from "./console/ConsoleFiles.ts"
import { consolePages } from "./console/consolePages.ts"
import * as Access from "./handlers/operator/access/access.ts"
import * as Addresses from "./handlers/operator/addresses/addresses.ts"
import { ServerConfig } from "./config/ServerConfig.ts"
import * as Documents from "./documents/documents.ts"
import { documentPaths } from "./documents/published.ts"
import * as Audit from "./handlers/operator/audit/audit.ts"
import * as Books from "./handlers/operator/books/books.ts"
import * as Customers from "./handlers/operator/customers/customers.ts"
import * as Custody from "./handlers/operator/custody/custody.ts"
import * as Floats from "./handlers/operator/floats/floats.ts"
import * as Grants from "./handlers/operator/grants/grants.ts"
import * as HealthGroup from "./handlers/operator/health/health.ts"
import * as Keys from "./handlers/operator/keys/keys.ts"
import * as Live from "./handlers/operator/live/live.ts"
import * as Operations from "./handlers/operator/operations/operations.ts"
import * as Payouts from "./handlers/operator/payouts/payouts.ts"
import * as HeldArrivals from "./handlers/operator/heldArrivals/heldArrivals.ts"
import * as Reconciliation from "./handlers/operator/reconciliation/reconciliation.ts"
import * as Quarantine from "./handlers/operator/quarantine/quarantine.ts"
import * as Reviews from "./handlers/operator/reviews/reviews.ts"
import * as Session from "./handlers/operator/session/session.ts"
import * as Search from "./handlers/operator/search/search.ts"
import * as Series from "./handlers/operator/series/series.ts"
import * as SignIn from "./handlers/operator/session/signIn.ts"
import * as SigningKeys from "./handlers/operator/signingKeys/signingKeys.ts"
import * as Solvency from "./handlers/operator/solvency/solvency.ts"
import * as Suspense from "./handlers/operator/suspense/suspense.ts"
import * as Sweeps from "./handlers/operator/sweeps/sweeps.ts"
import * as Tenants from "./handlers/operator/tenants/tenants.ts"
import * as Waiting from "./handlers/operator/waiting/waiting.ts"
import * as Wallets from "./handlers/operator/wallets/wallets.ts"
import * as Webhooks from "./handlers/operator/webhooks/webhooks.ts"
import { parseProxies } from "./http/clientAddress.ts"
import * as Health from "./http/health.ts"
import { healthPaths } from "./http/health.ts"
import { metricsPath, metricsRoute } from "./http/metrics.ts"
import { makeRouteTable } from "./http/RouteTable.ts"
import { Sessions } from "./identity/Sessions.ts"
import { LiveFeed } from "./live/LiveFeed.ts"
import { OpenStreams } from "./live/OpenStreams.ts"
import * as InFlight from "./idempotency/InFlight.ts"
import { auditedPorts } from "./middleware/auditedPorts.ts"
import { arrived, bodySize } from "./middleware/bodySize.ts"
import { exactPath } from "./middleware/exactPath.ts"
import { fallbacks } from "./middleware/fallbacks.ts"
import { knownAddress } from "./middleware/knownAddress.ts"
import * as OperatorAudited from "./middleware/operatorAudited.ts"
import * as OperatorAuthenticated from "./middleware/operatorAuthenticated.ts"
import * as OperatorPermitted from "./middleware/operatorPermitted.ts"
import { surround } from "./pipeline/surround.ts"
import { requestLog } from "./middleware/requestLog.ts"
import { singleHeaders } from "./middleware/singleHeaders.ts"
import { staticPages } from "./middleware/staticPages.ts"
import * as SchemaRefusals from "./middleware/schemaRefusals.ts"

const openPaths: ReadonlySet<string> = new Set([
  metricsPath,
  ...Object.values(documentPaths),
  ...Object.values(healthPaths)
])

const routeTemplates = [...operationsOf(OperatorApi), ...Array.from(openPaths, (path) => ({ method: "GET", path }))]

const routeTable = makeRouteTable(routeTemplates)

const log = requestLog("operator", openPaths)

const lastWords = fallbacks(routeTable)

const globalMiddleware = HttpRouter.middleware(
  Effect.gen(function* () {
    const { trustedProxies } = yield* ServerConfig
    const pages = (yield* staticPages)(new Set<string>(Object.values(documentPaths)), "sandboxed")
    const gates = [
      consolePages(yield* ConsoleFiles, routeTemplates),
      bodySize,
      singleHeaders,
      // nobody is let in for an address here, and whoever operates may sit at the host of the proxy
      knownAddress(parseProxies(trustedProxies), { has: () => true }),
      exactPath(routeTable)
    ]
    return surround({ log, lastWords, gates: (app) => [...gates, pages(app), arrived] })
  }),
  { global: true }
)

/** The checks of the contract, from the token to the schema; the contract says in which order. */
const checks = Layer.mergeAll(
  OperatorAuthenticated.layer,
  OperatorAudited.layer,
  OperatorPermitted.layer,
  SchemaRefusals.layer
)

const groups = Layer.mergeAll(
  Tenants.layer,
  Keys.layer,
  Addresses.layer,
  SigningKeys.layer,
  Custody.layer,
  Floats.layer,
  Books.layer,
  Solvency.layer,
  Suspense.layer,
  Waiting.layer,
  Payouts.layer,
  Reviews.layer,
  Operations.layer,
  Search.layer,
  Live.layer,
  Series.layer,
  Webhooks.layer,
  HealthGroup.layer,
  Quarantine.layer,
  Reconciliation.layer,
  HeldArrivals.layer,
  Audit.layer,
  Grants.layer,
  Session.layer,
  SignIn.layer,
  Access.layer,
  Sweeps.layer,
  Wallets.layer,
  Customers.layer
).pipe(Layer.provide(InFlight.layer), Layer.provide([LiveFeed.layer, OpenStreams.layer]), Layer.provide(auditedPorts))

/**
 * The operator interface as routes, with `/health`, its own `/openapi.json` and `/docs`, and, for Prometheus, `/metrics`, which need no
 * token, and the console where its files are given (`ConsoleFiles`). It needs the ports and `ServerConfig`, and a port of its own: never serve it where partners call.
 */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(OperatorApi).pipe(Layer.provide(groups), Layer.provide(checks), Layer.provide(Sessions.layer)),
  metricsRoute,
  Documents.operator,
  Health.layer
).pipe(Layer.provide(globalMiddleware), Layer.provide(HttpServer.layerServices))
