import { EmbeddedPostgres } from "@bursar/simulator-postgres"
import { migrate } from "@bursar/postgres"
import { Console, Effect, FileSystem, Layer, Path, Redacted, References, Schedule } from "effect"
import { layerKeys, layerServerConfig, runServer } from "@bursar/cli/assemble/server"
import { layerStorage } from "@bursar/cli/assemble/storage"
import { layerReconciler, layerWork } from "@bursar/cli/assemble/worker"
import { signInLink } from "@bursar/cli/commands/console"
import { clientOf } from "@bursar/cli/commands/operator"
import { CommandFailed } from "@bursar/cli/config/CommandFailed"
import { type Handshake, handshakeFile } from "@bursar/cli/config/Handshake"
import { noProviders } from "@bursar/cli/config/ProviderSettings"
import type { ServeSettings, WorkSettings } from "@bursar/cli/config/Settings"
import { trustOf } from "@bursar/cli/config/grantRoot"
import { layer as layerGrants } from "@bursar/core/grant/Grants"
import type { Network } from "@bursar/core/money/Network"
import type { Payer } from "@bursar/sandbox"
import type { DevnetError } from "@bursar/simulator-kit/DevnetError"
import type { DemoApprovers } from "./approvers.ts"
import { firstCeremony } from "./ceremony.ts"
import { openGrants } from "./openGrants.ts"
import { localReconciliation } from "@bursar/cli/config/reconciliation"
import { WatchState } from "@bursar/core/store/WatchState"
import { playDemo } from "./demo/playDemo.ts"
import { banner } from "./banner.ts"
import { makeDemoTenant, registerSigningKeys, sealKeys } from "./demoTenants.ts"
import type { DevOptions } from "./DevOptions.ts"
import { fundWallets, prepareDemo } from "./demoMoney.ts"
import { localCurrencies } from "./localCurrencies.ts"
import { networkHandshake, startNetworks } from "./localNetworks.ts"
import { layerLogLines } from "./logLines.ts"
import { type LoadingSigner, loadSigner } from "./loadSigner.ts"
import { startSigner } from "./signer.ts"
import { startSandbox } from "./sandbox.ts"
import { type DevSecrets, openSecrets } from "./secrets.ts"

const demoTenants = [
  ["demo", "Demo Partner"],
  ["other", "Other Partner"]
] as const

/** What a local service is made of before anything runs. */
interface Made {
  readonly options: DevOptions
  readonly secrets: DevSecrets
  readonly databaseUrl: string
  readonly networks: WorkSettings["networks"]
}

/** The settings of server and worker, but for the signer that they ask and the root of the grants. */
const settingsFor = ({
  databaseUrl,
  networks,
  options,
  secrets
}: Made): Omit<ServeSettings & WorkSettings, "grantRoot" | "signer"> => ({
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
  explorers: new Map(),
  grantHeads: null,
  payoutsOff: [],
  networksOff: [],
  providers: noProviders,
  secretsKeys: Redacted.make(secrets.secretsKey ?? secrets.masterKey),
  webhooksToPrivateAddresses: "sandbox",
  audit: {},
  reconciliation: localReconciliation,
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

/** Keeps the secrets of a data directory up to date while it is filled. */
type Store = Effect.Success<ReturnType<typeof openSecrets>>

/** The secrets with the tenants of the handshake: those of earlier starts, and what of the demo is still to be made. */
const openTenants = Effect.fn("dev.openTenants")(function* ({ save, secrets }: Store) {
  let kept = secrets
  for (const [slug, name] of demoTenants) {
    if (kept.tenants.some((tenant) => tenant.slug === slug)) continue
    kept = yield* save({ ...kept, tenants: [...kept.tenants, yield* makeDemoTenant(slug, name)] })
  }
  yield* Effect.forEach(kept.tenants, sealKeys, { discard: true })
  yield* Effect.forEach(kept.tenants, registerSigningKeys, { discard: true })
  return kept
})

/** What the first start grants, once: all that the demo has made so far. */
const grantOnce = Effect.fnUntraced(function* ({ save, secrets }: Store, approvers: DemoApprovers | null) {
  if (approvers === null || secrets.ceremony !== undefined) return
  yield* Effect.provide(firstCeremony(approvers.approvers), layerGrants(yield* trustOf(approvers.root)))
  yield* save({ ...secrets, ceremony: "over" })
})

/** Waits until every network is watched: what arrives at a wallet before that is seen by nobody. */
const watched = Effect.fnUntraced(function* (networks: WorkSettings["networks"]) {
  const { cursor } = yield* WatchState
  yield* Effect.forEach(
    networks,
    ({ network }) =>
      cursor(network).pipe(
        Effect.repeat({ schedule: Schedule.spaced("100 millis"), until: (found) => found !== undefined }),
        Effect.timeoutOption("1 minute")
      ),
    { concurrency: "unbounded", discard: true }
  )
})

/** Starts server and worker, with tenants that have all that the demo needs. */
const startService = Effect.fnUntraced(function* (
  { save, secrets }: Store,
  settings: ServeSettings & WorkSettings,
  {
    approvers,
    listening,
    payer
  }: {
    readonly approvers: DemoApprovers | null
    readonly listening: Effect.Effect<unknown, DevnetError>
    readonly payer: Payer
  }
) {
  const [kept] = yield* Effect.all(
    [openTenants({ save, secrets }).pipe(Effect.provide(layerServerConfig(settings))), listening],
    { concurrency: "unbounded" }
  )
  const keys = yield* Layer.build(layerKeys(settings))
  const prepared = Effect.gen(function* () {
    const [demo] = kept.tenants
    const wallets = demo === undefined ? new Map<Network, string>() : yield* prepareDemo(demo.id)
    yield* Effect.provide(grantOnce({ save, secrets: kept }, approvers), layerServerConfig(settings))
    return wallets
  })
  const [{ operator, partner }, wallets] = yield* Effect.all([runServer(settings), Effect.provide(prepared, keys)], {
    concurrency: "unbounded"
  })
  yield* Layer.build(layerWork(settings))
  yield* watched(settings.networks)
  yield* Console.log("Filling the wallets of the demo tenant …")
  yield* Effect.provide(fundWallets(wallets, payer), keys)
  yield* Layer.build(layerReconciler(settings))
  return { operator, partner, tenants: kept.tenants }
})

const grantsHandshake = (approvers: DemoApprovers | null): Handshake["grants"] =>
  approvers && {
    root_file: approvers.rootFile,
    passphrase_file: approvers.passphraseFile,
    approvers: approvers.keyFiles.map(({ file, id }) => ({ id, key_file: file }))
  }

/**
 * Runs the whole service on this machine until it is interrupted: embedded PostgreSQL, local networks, signer, server, worker and
 * two demo tenants. Everything is kept in the data directory and found again at the next start. The process of the signer may be `loading`
 * already.
 */
export const runDev = Effect.fn("dev.runDev")(
  function* (options: DevOptions, loading?: LoadingSigner) {
    if (options.demo && options.manualMining) {
      return yield* new CommandFailed({ message: "The demo needs chains that go on: leave out --manual-mining." })
    }
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const dataDir = path.resolve(options.dataDir)
    if (options.fresh) yield* files.remove(dataDir, { recursive: true, force: true })
    yield* files.makeDirectory(dataDir, { recursive: true })
    const signing = loading ?? (yield* loadSigner)
    const store = yield* openSecrets(dataDir)
    const { secrets } = store

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
    const withoutGrants = settingsFor({ options, secrets, databaseUrl, networks: networkSettings })
    const storage = yield* Layer.build(layerStorage(withoutGrants, "bursar-dev"))
    const approvers = yield* Effect.provide(openGrants(dataDir, secrets), storage)
    const signer = yield* startSigner(signing, {
      dataDir,
      databaseUrl,
      masterKey: secrets.masterKey,
      rootFile: approvers?.rootFile ?? null,
      networks: networkSettings
    })
    const settings = { ...withoutGrants, grantRoot: approvers?.root ?? null, signer: signer.client }
    const { controlUrl, payer, providers } = yield* startSandbox(
      path.join(dataDir, "sandbox"),
      networkHandshake(networks),
      options.sandboxPort
    )
    const { operator, partner, tenants } = yield* startService(store, settings, {
      approvers,
      listening: signer.listening,
      payer
    }).pipe(Effect.provide(storage), Effect.provide(providers))
    const handshake: Handshake = {
      partner_url: partner.url,
      operator_url: operator.url,
      operator_token: secrets.operatorToken,
      service_name: settings.serviceName,
      database_url: databaseUrl,
      tenants,
      networks: networkHandshake(networks),
      grants: grantsHandshake(approvers),
      sandbox: { control_url: controlUrl }
    }
    const handshakePath = path.join(dataDir, handshakeFile)
    yield* publish(handshakePath, handshake)
    const { code } = yield* Effect.flatMap(
      clientOf({ baseUrl: operator.url, token: Redacted.make(secrets.operatorToken) }),
      (client) => client.session.link()
    )
    yield* Console.log(banner(handshake, handshakePath, signInLink(operator.url, code)))
    if (options.demo && approvers === null) yield* Console.log("The demo shows grants: it is not played without them.")
    if (options.demo && approvers !== null) yield* playDemo(handshake, approvers)
    return yield* Effect.never
  },
  Effect.scoped,
  // the story of the demo is what is told then: of the service's own log what needs somebody
  (running, { demo }: DevOptions, _loading?: LoadingSigner) =>
    Effect.provideService(running, References.MinimumLogLevel, demo ? "Warn" : "Info"),
  Effect.provide(layerLogLines)
)
