import type { NetworkSettings } from "@bursar/cli/config/NetworkSettings"
import { notOfSigner } from "@bursar/cli/config/Settings"
import type { SignerClientOptions } from "@bursar/cli/config/SignerSettings"
import * as SupervisedProcess from "@bursar/simulator-kit/SupervisedProcess"
import { Effect, Redacted } from "effect"
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** What a local signer is told. */
export interface LocalSigner {
  readonly dataDir: string
  readonly databaseUrl: string
  readonly masterKey: string
  /** The file of the root of grants; null where rows decide. */
  readonly rootFile: string | null
  readonly networks: ReadonlyArray<NetworkSettings>
}

/** The chains that the local networks are, as `bursar sign` is told of them. */
const chainsOf = (networks: ReadonlyArray<NetworkSettings>): Readonly<Record<string, string>> =>
  Object.assign(
    {},
    ...networks.map((one) => {
      switch (one.family) {
        case "evm":
          return {}
        case "bitcoin":
          return { BITCOIN_CHAIN: one.chain }
        case "tron":
          return {
            TRON_NODE_URL: Redacted.value(one.nodeUrl),
            ...(one.genesisBlockId === null ? {} : { TRON_GENESIS_BLOCK_ID: one.genesisBlockId })
          }
        case "stellar":
          return {
            STELLAR_HORIZON_URL: Redacted.value(one.horizonUrl),
            STELLAR_NETWORK_PASSPHRASE: one.networkPassphrase,
            ...(one.rpcUrl === null ? {} : { STELLAR_RPC_URL: Redacted.value(one.rpcUrl) })
          }
      }
    })
  )

/** What a variable of this process would say is none of the signer's business. */
const nothingElse = Object.fromEntries(Array.from(notOfSigner, (name) => [name, ""]))

/** A path of a socket is short; a data directory may be deep. */
const makeSocketFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-signer-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Starts `bursar sign` in a process of its own, the only one with the keys. It ends with the scope. */
export const startSigner = Effect.fn("dev.startSigner")(function* (local: LocalSigner) {
  const store = join(local.dataDir, "signer")
  const isNew = !existsSync(store)
  mkdirSync(store, { recursive: true, mode: 0o700 })
  const path = join(yield* makeSocketFolder, "socket")
  const child = yield* SupervisedProcess.spawn({
    command: process.execPath,
    // data of a version before have signatures that no store knows of
    args: [fileURLToPath(import.meta.resolve("@bursar/cli/main")), "sign", ...(isNew ? ["--adopt"] : [])],
    env: {
      ...nothingElse,
      ...chainsOf(local.networks),
      DATABASE_URL: local.databaseUrl,
      GRANT_ROOT: local.rootFile ?? "",
      VAULT_MASTER_KEY: local.masterKey,
      SIGNER: `unix:${path}`,
      SIGNER_STORE: store
    },
    stopSignal: "SIGTERM",
    graceMs: 15_000
  })
  const client: SignerClientOptions = { address: { _tag: "Socket", path } }
  const listening = child.waitForLine((line) => (line.includes('"signer.started"') ? true : undefined), "60 seconds")
  return { client, listening }
})
