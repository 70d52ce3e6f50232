import { PartnerApi } from "@bursar/api/PartnerApi"
import * as ShownAddresses from "@bursar/core/granting/ShownAddresses"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { ServerConfig } from "./config/ServerConfig.ts"
import * as Documents from "./documents/documents.ts"
import { documentPaths, partnerRoutes } from "./documents/published.ts"
import * as Accounts from "./handlers/accounts/accounts.ts"
import * as AddressProofs from "./handlers/addressProofs/addressProofs.ts"
import * as Addresses from "./handlers/addresses/addresses.ts"
import * as ForgeryLog from "./handlers/addresses/forgeryLog.ts"
import * as ChainPayouts from "./handlers/chainPayouts/chainPayouts.ts"
import * as Conversions from "./handlers/conversions/conversions.ts"
import * as Customers from "./handlers/customers/customers.ts"
import * as DepositKeys from "./handlers/depositKeys/depositKeys.ts"
import * as Deposits from "./handlers/deposits/deposits.ts"
import * as Events from "./handlers/events/events.ts"
import * as Introspection from "./handlers/introspection/introspection.ts"
import * as Register from "./handlers/register/register.ts"
import * as Withdrawals from "./handlers/withdrawals/withdrawals.ts"
import * as Transfers from "./handlers/transfers/transfers.ts"
import * as Solvency from "./handlers/solvency/solvency.ts"
import * as Signature from "./handlers/signature/signature.ts"
import { parseProxies } from "./http/clientAddress.ts"
import * as Health from "./http/health.ts"
import { healthPaths } from "./http/health.ts"
import * as ProviderWebhooks from "./http/providerWebhooks.ts"
import { webhookPaths, webhookRoute } from "./http/providerWebhooks.ts"
import { makeRouteTable } from "./http/RouteTable.ts"
import { staticPages } from "./middleware/staticPages.ts"
import * as InFlight from "./idempotency/InFlight.ts"
import * as Directory from "./keys/Directory.ts"
import { allowlist } from "./middleware/allowlist.ts"
import { arrived, bodySize } from "./middleware/bodySize.ts"
import { exactPath } from "./middleware/exactPath.ts"
import { fallbacks } from "./middleware/fallbacks.ts"
import { knownAddress } from "./middleware/knownAddress.ts"
import { contractRoutes } from "./pipeline/contractRoutes.ts"
import { partnerChecks } from "./pipeline/partnerChecks.ts"
import { surround } from "./pipeline/surround.ts"
import { uncheckedRefused } from "./pipeline/uncheckedRefused.ts"
import { requestLog } from "./middleware/requestLog.ts"
import { singleHeaders } from "./middleware/singleHeaders.ts"

const openPaths: ReadonlySet<string> = new Set([...Object.values(documentPaths), ...Object.values(healthPaths)])

const routeTable = makeRouteTable([
  ...partnerRoutes,
  webhookRoute,
  ...Array.from(openPaths, (path) => ({ method: "GET", path }))
])

/** What surrounds every request: size, headers, address, path, pages, in this order; then its route. */
const globalMiddleware = HttpRouter.middleware(
  Effect.gen(function* () {
    const directory = yield* Directory.Directory
    const { trustedProxies } = yield* ServerConfig
    const open = new Set([...openPaths, ...(yield* webhookPaths)])
    const pages = (yield* staticPages)(new Set<string>(Object.values(documentPaths)), "same origin")
    const gates = [
      bodySize,
      singleHeaders,
      knownAddress(parseProxies(trustedProxies), new Set<string>(Object.values(healthPaths))),
      allowlist(directory, open),
      exactPath(routeTable)
    ]
    return surround({
      log: requestLog("partner", open),
      lastWords: fallbacks(routeTable),
      gates: (app) => [...gates, pages(app), arrived]
    })
  }),
  { global: true }
)

/** What addresses are verified by before they are shown, with one memory for all endpoints. */
const shownAddresses = Layer.unwrap(
  Effect.map(ServerConfig, ({ currencies }) => ShownAddresses.layer(currencies.networks))
).pipe(Layer.provide(ForgeryLog.layer))

const groups = Layer.mergeAll(
  Introspection.layer,
  Addresses.layer,
  DepositKeys.layer,
  Deposits.layer,
  Events.layer,
  Register.layer,
  Signature.layer,
  ChainPayouts.layer,
  Withdrawals.layer,
  Conversions.layer,
  Customers.layer,
  Accounts.layer,
  Transfers.layer,
  AddressProofs.layer,
  Solvency.layer
).pipe(Layer.provide(InFlight.layer), Layer.provide(shownAddresses), Layer.provide(uncheckedRefused))

/**
 * The partner interface as routes: every endpoint of the contract with its checks, `/openapi.json`, `/docs`, `/health`, and
 * the webhooks of the providers that are configured.
 * It needs the ports and `ServerConfig`, and can be served by `listen` or embedded with `toWebHandler`.
 */
export const routes = Layer.mergeAll(
  contractRoutes(PartnerApi, partnerChecks).pipe(Layer.provide(groups)),
  Documents.partner,
  Health.layer,
  ProviderWebhooks.layer
).pipe(Layer.provide(globalMiddleware), Layer.provide(Directory.layer), Layer.provide(HttpServer.layerServices))
