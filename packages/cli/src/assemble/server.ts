import { directoryTtlDefault, ServerConfig } from "@bursar/server/config/ServerConfig"
import { deriveSecret } from "@bursar/server/keys/hashKey"
import { listen } from "@bursar/server/listen"
import * as OperatorServer from "@bursar/server/OperatorServer"
import * as PartnerServer from "@bursar/server/PartnerServer"
import * as SignedRegistrations from "@bursar/vault/SignedRegistrations"
import * as SignerClient from "@bursar/signer/rpc/SignerClient"
import { Effect, Layer } from "effect"
import type { ServeSettings, WorkingSettings } from "../config/Settings.ts"
import { layerConsole } from "./consoleFiles.ts"
import { layerGrantsOf } from "./grants.ts"
import { layerNetworks } from "./adapters.ts"
import { layerIdentityTokens } from "./identityTokens.ts"

/** What the HTTP adapter is told. Cursors are authenticated under a secret derived from the pepper of the keys. */
export const layerServerConfig = (settings: ServeSettings) =>
  Layer.succeed(
    ServerConfig,
    ServerConfig.of({
      serviceName: settings.serviceName,
      keyPrefix: settings.serviceName,
      publicAuthorities: settings.publicAuthorities,
      trustedProxies: settings.trustedProxies,
      keyPepper: settings.keyPepper,
      cursorSecret: deriveSecret(settings.keyPepper, "cursors"),
      operatorToken: settings.operatorToken,
      operators: settings.operators,
      signIn: settings.oidc?.policy ?? null,
      payoutsOff: settings.payoutsOff,
      explorers: settings.explorers,
      currencies: settings.currencies,
      directoryTtl: directoryTtlDefault
    })
  )

/** What makes wallets and asks the networks about payments: keys, the addresses that they have, and the senders. */
export const layerKeys = (settings: Pick<WorkingSettings, "currencies" | "networks" | "signer">) =>
  Layer.mergeAll(
    layerNetworks(settings.networks, settings.currencies),
    SignerClient.layerVault(settings.signer),
    SignerClient.layerReserveProver(settings.signer),
    SignerClient.layerTransactionSigner(settings.signer)
  )

/** Serves the partner and the operator interface, each on its own port, until the scope closes. */
export const runServer = Effect.fn("assemble.runServer")(function* (settings: ServeSettings) {
  const provided = Layer.mergeAll(
    layerServerConfig(settings),
    layerIdentityTokens(settings.oidc),
    layerKeys(settings),
    layerGrantsOf(settings),
    SignedRegistrations.layer(settings),
    layerConsole
  )
  const services = yield* Layer.build(provided)
  const serve = Effect.gen(function* () {
    const partner = yield* listen(PartnerServer.routes, { host: settings.host, port: settings.port })
    const operator = yield* listen(OperatorServer.routes, { host: settings.operatorHost, port: settings.operatorPort })
    return { partner, operator }
  })
  return yield* Effect.provide(serve, services)
})
