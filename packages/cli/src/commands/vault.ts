import { layer as layerWriter } from "@bursar/core/engine/Writer"
import { layer as layerPostgres } from "@bursar/postgres"
import { parseMasterKeys } from "@bursar/vault/MasterKeys"
import { reencrypt } from "@bursar/vault/reencrypt"
import { Effect, Layer, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { configFlag, readVariables } from "../config/environment.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { databaseUrl } from "./database.ts"
import { printRecord } from "./print.ts"

const reencryptAll = Command.make(
  "reencrypt",
  {
    ...configFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ config, json }) {
    const text = (yield* readVariables(config))["VAULT_MASTER_KEY"]
    if (text === undefined) {
      return yield* new CommandFailed({ message: "VAULT_MASTER_KEY is missing: the new key first, then the old ones." })
    }
    const keys = yield* Effect.fromResult(parseMasterKeys(Redacted.make(text)))
    const url = yield* databaseUrl(config)
    const storage = layerPostgres({ url, maxConnections: 4, applicationName: "bursar vault" })
    const { changed, current } = yield* reencrypt(keys).pipe(
      Effect.provide(layerWriter.pipe(Layer.provideMerge(storage)))
    )
    yield* printRecord(json, { master_key: keys.current, changed, already_current: current })
  })
).pipe(
  Command.withDescription(
    "Put every sealed secret under the first key of VAULT_MASTER_KEY; the service may go on running"
  ),
  Command.withExamples([
    { command: "bursar vault reencrypt", description: "After a new key was put in front and the service restarted" }
  ])
)

/** `bursar vault …` */
export const vaultCommand = Command.make("vault").pipe(
  Command.withDescription("What is sealed under the master keys"),
  Command.withSubcommands([reencryptAll])
)
