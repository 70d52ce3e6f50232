import { environmentOf, type NetworkSettings } from "@bursar/cli/config/NetworkSettings"
import { notOfSigner } from "@bursar/cli/config/Settings"
import type { SignerClientOptions } from "@bursar/cli/config/SignerSettings"
import { Effect, Redacted } from "effect"
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import type { LoadingSigner } from "./loadSigner.ts"

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
          return environmentOf(one) === "SANDBOX" ? { [`${one.network.toUpperCase()}_CHAIN`]: "local" } : {}
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

/** Has `bursar sign` begin in the process that was started for it, the only one with the keys. */
export const startSigner = Effect.fn("dev.startSigner")(function* (loading: LoadingSigner, local: LocalSigner) {
  const store = join(local.dataDir, "signer")
  const isNew = !existsSync(store)
  mkdirSync(store, { recursive: true, mode: 0o700 })
  const path = join(loading.folder, "socket")
  yield* loading.begin({
    // data of a version before have signatures that no store knows of
    args: isNew ? ["--adopt"] : [],
    env: {
      ...nothingElse,
      ...chainsOf(local.networks),
      DATABASE_URL: local.databaseUrl,
      GRANT_ROOT: local.rootFile ?? "",
      VAULT_MASTER_KEY: local.masterKey,
      SIGNER: `unix:${path}`,
      SIGNER_STORE: store
    }
  })
  const client: SignerClientOptions = { address: { _tag: "Socket", path } }
  const listening = loading.process.waitForLine(
    (line) => (line.includes('"signer.started"') ? true : undefined),
    "60 seconds"
  )
  return { client, listening }
})
