import { EvmDevnet } from "@bursar/simulator-evm"
import { TestDatabase } from "@bursar/simulator-postgres"
import type { EvmNetwork } from "@bursar/simulator-evm/EvmNetwork"
import { postgresUrl } from "@bursar/simulator-postgres/testing/postgresUrl"
import { migrate } from "@bursar/postgres"
import { PgClient } from "@effect/sql-pg"
import { Deferred, Effect, Layer, Redacted, Result } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layerSignerStorage, runSigner } from "../../src/assemble/sign.ts"
import { readSignSettings } from "../../src/config/Settings.ts"
import { environmentFor, type Variables } from "./environmentFor.ts"
import { start } from "./bursar.ts"

/** A database at this version, dropped with the scope. */
export const migratedDatabase = Effect.suspend(() =>
  TestDatabase.make(postgresUrl(), {
    name: "bursar",
    prepare: (url) => Effect.asVoid(migrate({ url: Redacted.make(url) }))
  })
)

/** A client of the test's own on a database. */
export const sqlOn = (url: string) =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 2, applicationName: "bursar-cli-test" }).pipe(
    Effect.provide(Reactivity.layer)
  )

/** The secrets of a service under test. */
export const secrets = {
  KEY_PEPPER: "pepper-pepper-pepper-pepper-pepper-pepper",
  OPERATOR_TOKEN: "operator-token-operator-token-operator",
  VAULT_MASTER_KEY: `test:${Buffer.alloc(32, 7).toString("base64")}`,
  SECRETS_KEY: `box:${Buffer.alloc(32, 8).toString("base64")}`
}

/** How many blocks a deposit needs in these tests. */
export const confirmations = 3

const signerAt = (folder: string) => ({ SIGNER: `unix:${join(folder, "socket")}`, SIGNER_STORE: join(folder, "store") })

/** Signers that listen, by their address. */
const signers = new Map<string, Deferred.Deferred<void, unknown>>()

/** Listens as the signer of an environment, in the test's own process; ends with the scope. One that listens already is enough. */
export const signerOf = Effect.fnUntraced(function* (env: Variables) {
  const at = env["SIGNER"] ?? ""
  const there = signers.get(at)
  if (there !== undefined) return yield* Effect.orDie(Deferred.await(there))
  const listening = Deferred.makeUnsafe<void, unknown>()
  signers.set(at, listening)
  yield* Effect.addFinalizer(() => Effect.sync(() => signers.delete(at)))
  const root = env["GRANT_ROOT"]
  // the command reads the file of a root before the settings do
  const rooted = root?.startsWith("/") === true ? { ...env, GRANT_ROOT: readFileSync(root, "utf8") } : env
  const settings = Result.getOrThrow(readSignSettings(environmentFor("sign", rooted)))
  const ports = yield* Effect.orDie(Layer.build(layerSignerStorage({ ...settings, databaseConnections: 4 })))
  const started = runSigner(settings, "adopt").pipe(Effect.asVoid, Effect.provide(ports))
  return yield* Effect.orDie(Effect.onExit(started, (exit) => Deferred.done(listening, exit)))
})

/** The environment of a service on this database that reads these networks, as an operator would write it. */
export const environmentOf = (databaseUrl: string, rpcUrls: Partial<Readonly<Record<EvmNetwork, string>>> = {}) => ({
  ...secrets,
  ...signerAt(mkdtempSync(join(tmpdir(), "bursar-signer-"))),
  DATABASE_URL: databaseUrl,
  HOST: "127.0.0.1",
  PORT: "0",
  OPERATOR_PORT: "0",
  WEBHOOKS_TO_PRIVATE_ADDRESSES: "sandbox",
  ...Object.fromEntries(
    Object.entries(rpcUrls).flatMap(([network, url]) => [
      [`${network.toUpperCase()}_RPC_URL`, url],
      [`${network.toUpperCase()}_CHAIN`, "local"],
      [`${network.toUpperCase()}_CONFIRMATIONS`, String(confirmations)]
    ])
  )
})

/** Starts `bursar serve` and waits until it listens. */
export const serve = Effect.fnUntraced(function* (env: Variables) {
  yield* signerOf(env)
  const process = yield* start(["serve"], { env: environmentFor("serve", env) })
  const { annotations } = yield* process.says("server.started")
  const { operator = "", partner = "" } = annotations
  return { ...process, partnerUrl: partner, operatorUrl: operator }
})

/** Starts `bursar work`. It says `watching` for each network once it leads there. */
export const work = Effect.fnUntraced(function* (env: Variables) {
  yield* signerOf(env)
  return yield* start(["work"], { env: environmentFor("work", env) })
})

/** A migrated database and a local network, with the environment of a service on them. */
export const openWorld = Effect.fnUntraced(function* (network: EvmNetwork) {
  const [database, devnet] = yield* Effect.all([migratedDatabase, EvmDevnet.make({ network })], { concurrency: 2 })
  const env = environmentOf(database.url, { [network]: devnet.rpcUrl })
  return { network, databaseUrl: database.url, devnet, env, sql: yield* sqlOn(database.url) }
})
