import { EmbeddedPostgres } from "@bursar/simulator-postgres"
import { migrate } from "@bursar/postgres"
import { Console, Effect, FileSystem, Layer, Path, Redacted, References } from "effect"
import { layerKeys, layerServerConfig, runServer } from "@bursar/cli/assemble/server"
import { layerStorage } from "@bursar/cli/assemble/storage"
import { layerWork } from "@bursar/cli/assemble/worker"
import { CommandFailed } from "@bursar/cli/config/CommandFailed"
import { type Handshake, handshakeFile } from "@bursar/cli/config/Handshake"
import { noProviders } from "@bursar/cli/config/ProviderSettings"
import type { ServeSettings, WorkSettings } from "@bursar/cli/config/Settings"
import { playDemo } from "./demo/playDemo.ts"
import { banner } from "./banner.ts"
import { makeDemoTenant, registerSigningKeys, sealKeys } from "./demoTenants.ts"
import type { DevOptions } from "./DevOptions.ts"
import { giveDemoMoney } from "./demoMoney.ts"
import { localCurrencies } from "./localCurrencies.ts"
import { networkHandshake, startNetworks } from "./localNetworks.ts"
import { layerLogLines } from "./logLines.ts"
import { startSigner } from "./signer.ts"
import { startSandbox } from "./sandbox.ts"
import { type DevSecrets, openSecrets } from "./secrets.ts"

const demoTenants = [
  ["demo", "Demo Partner"],
  ["other", "Other Partner"]
] as const

const settingsFor = (
  options: DevOptions,
  secrets: DevSecrets,
  databaseUrl: string,
  networks: WorkSettings["networks"],
  signer: WorkSettings["signer"]
): ServeSettings & WorkSettings => ({
  databaseUrl: Redacted.make(databaseUrl),
  databaseConnections: 20,
  host: "127.0.0.1",
  port: options.port,
  operatorHost: "127.0.0.1",
  operatorPort: options.operatorPort,
  publicAuthorities: [],
  trustedProxies: [],
  serviceName: "service",
  keyPepper: Redacted.make(secrets.keyPepper),
  operatorToken: Redacted.make(secrets.operatorToken),
  operators: [],
  oidc: null,
  payoutsOff: [],
  grantRoot: null,
  providers: noProviders,
  secretsKeys: Redacted.make(secrets.secretsKey ?? secrets.masterKey),
  signer,
  webhooksToPrivateAddresses: "sandbox",
  audit: {},
  networks,
  currencies: localCurrencies,
  otlpEndpoint: null
})

/** Writes the handshake whole and for its owner alone, and removes it with the scope. */
const publish = Effect.fn("dev.publish")(function* (path: string, handshake: Handshake) {
  const files = yield* FileSystem.FileSystem
  yield* Effect.addFinalizer(() => Effect.ignore(files.remove(path)))
  yield* files.writeFileString(`${path}.new`, JSON.stringify(handshake, null, 2), { mode: 0o600 })
  yield* files.rename(`${path}.new`, path)
})

/** The tenants of the handshake: those of earlier starts, and what of the demo is still to be made. */
const openTenants = Effect.fn("dev.openTenants")(function* ({
  save,
  secrets
}: Effect.Success<ReturnType<typeof openSecrets>>) {
  let kept = secrets
  for (const [slug, name] of demoTenants) {
    if (kept.tenants.some((tenant) => tenant.slug === slug)) continue
    kept = yield* save({ ...kept, tenants: [...kept.tenants, yield* makeDemoTenant(slug, name)] })
  }
  yield* Effect.forEach(kept.tenants, sealKeys, { discard: true })
  yield* Effect.forEach(kept.tenants, registerSigningKeys, { discard: true })
  return kept.tenants
})

/**
 * Runs the whole service on this machine until it is interrupted: embedded PostgreSQL, local networks, server, worker and
 * two demo tenants. Everything is kept in the data directory and found again at the next start.
 */
export const runDev = Effect.fn("dev.runDev")(
  function* (options: DevOptions) {
    if (options.demo && options.manualMining) {
      return yield* new CommandFailed({ message: "The demo needs chains that go on: leave out --manual-mining." })
    }
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const dataDir = path.resolve(options.dataDir)
    if (options.fresh) yield* files.remove(dataDir, { recursive: true, force: true })
    yield* files.makeDirectory(dataDir, { recursive: true })
    const store = yield* openSecrets(dataDir)

    yield* Console.log("Starting PostgreSQL and the local networks …")
    const [postgres, networks] = yield* Effect.all(
      [
        EmbeddedPostgres.make({ dataDir: path.join(dataDir, "postgres"), persistent: true }),
        startNetworks(dataDir, options.manualMining)
      ],
      { concurrency: "unbounded" }
    )
    const databaseUrl = yield* postgres.ensureDatabase("bursar")
    yield* migrate({ url: Redacted.make(databaseUrl) })

    const networkSettings = networks.map((network) => network.settings)
    const signer = yield* startSigner({
      dataDir,
      databaseUrl,
      masterKey: store.secrets.masterKey,
      networks: networkSettings
    })
    const settings = settingsFor(options, store.secrets, databaseUrl, networkSettings, signer.client)
    const storage = yield* Layer.build(layerStorage(settings, "bursar-dev"))
    const { controlUrl, payer, providers } = yield* startSandbox(
      path.join(dataDir, "sandbox"),
      networkHandshake(networks),
      options.sandboxPort
    )
    const service = Effect.gen(function* () {
      yield* signer.listening
      const tenants = yield* openTenants(store).pipe(Effect.provide(layerServerConfig(settings)))
      const { operator, partner } = yield* runServer(settings)
      yield* Layer.build(layerWork(settings))
      const [demo] = tenants
      if (demo !== undefined) {
        yield* Console.log("Filling the wallets of the demo tenant …")
        yield* Effect.provide(giveDemoMoney(demo.id, payer), yield* Layer.build(layerKeys(settings)))
      }
      return { operator, partner, tenants }
    })
    const { operator, partner, tenants } = yield* service.pipe(Effect.provide(storage), Effect.provide(providers))
    const handshake: Handshake = {
      partner_url: partner.url,
      operator_url: operator.url,
      operator_token: store.secrets.operatorToken,
      service_name: settings.serviceName,
      database_url: databaseUrl,
      tenants,
      networks: networkHandshake(networks),
      sandbox: { control_url: controlUrl }
    }
    const handshakePath = path.join(dataDir, handshakeFile)
    yield* publish(handshakePath, handshake)
    yield* Console.log(banner(handshake, handshakePath))
    if (options.demo) yield* playDemo(handshake)
    return yield* Effect.never
  },
  Effect.scoped,
  // the story of the demo is what is told then: of the service's own log what needs somebody
  (running, { demo }) => Effect.provideService(running, References.MinimumLogLevel, demo ? "Warn" : "Info"),
  Effect.provide(layerLogLines)
)
