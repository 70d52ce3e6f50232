import { PartnerApi } from "@bursar/api/PartnerApi"
import * as ShownAddresses from "@bursar/core/granting/ShownAddresses"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ServerConfig } from "./config/ServerConfig.ts"
import * as Documents from "./documents/documents.ts"
import { documentPaths, partnerRoutes } from "./documents/partnerDocument.ts"
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
import { secured } from "./http/securityHeaders.ts"
import { staticPages } from "./middleware/staticPages.ts"
import * as InFlight from "./idempotency/InFlight.ts"
import * as Directory from "./keys/Directory.ts"
import { allowlist } from "./middleware/allowlist.ts"
import * as Authenticated from "./middleware/authenticated.ts"
import { arrived, bodySize } from "./middleware/bodySize.ts"
import { exactPath } from "./middleware/exactPath.ts"
import { fallbacks } from "./middleware/fallbacks.ts"
import { knownAddress } from "./middleware/knownAddress.ts"
import * as Limited from "./middleware/limited.ts"
import { requestId } from "./middleware/requestId.ts"
import { requestLog } from "./middleware/requestLog.ts"
import * as SchemaRefusals from "./middleware/schemaRefusals.ts"
import * as Scoped from "./middleware/scoped.ts"
import { singleHeaders } from "./middleware/singleHeaders.ts"
import * as PolicySigned from "./middleware/policySigned.ts"
import * as Signed from "./middleware/signed.ts"

const openPaths: ReadonlySet<string> = new Set([...Object.values(documentPaths), ...Object.values(healthPaths)])

const routeTable = makeRouteTable([
  ...partnerRoutes,
  webhookRoute,
  ...Array.from(openPaths, (path) => ({ method: "GET", path }))
])

/** What surrounds every request, whatever it asks for: id, headers, log, last words, size, address, path, pages. Outermost first. */
const globalMiddleware = HttpRouter.middleware(
  Effect.gen(function* () {
    const directory = yield* Directory.Directory
    const { trustedProxies } = yield* ServerConfig
    const address = knownAddress(parseProxies(trustedProxies), new Set<string>(Object.values(healthPaths)))
    const open = new Set([...openPaths, ...(yield* webhookPaths)])
    const allowed = allowlist(directory, open)
    const log = requestLog("partner", open)
    const lastWords = fallbacks(routeTable)
    const exact = exactPath(routeTable)
    const pages = (yield* staticPages)(new Set<string>(Object.values(documentPaths)))
    return (app) =>
      requestId(secured(log(lastWords(bodySize(singleHeaders(address(allowed(exact(pages(arrived(app)))))))))))
  }),
  { global: true }
)

/** The checks of the contract, from the key to the schema; the contract says in which order. */
const checks = Layer.mergeAll(
  Authenticated.layer,
  Limited.layer,
  Scoped.layer,
  PolicySigned.layer,
  SchemaRefusals.layer,
  Signed.layer
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
).pipe(Layer.provide(InFlight.layer), Layer.provide(shownAddresses))

/**
 * The partner interface as routes: every endpoint of the contract with its checks, `/openapi.json`, `/docs`, `/health`, and
 * the webhooks of the providers that are configured.
 * It needs the ports and `ServerConfig`, and can be served by `listen` or embedded with `toWebHandler`.
 */
export const routes = Layer.mergeAll(
  HttpApiBuilder.layer(PartnerApi).pipe(Layer.provide(groups), Layer.provide(checks)),
  Documents.layer,
  Health.layer,
  ProviderWebhooks.layer
).pipe(Layer.provide(globalMiddleware), Layer.provide(Directory.layer), Layer.provide(HttpServer.layerServices))
