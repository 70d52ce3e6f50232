import { Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { configFlag, readVariables } from "../config/environment.ts"
import { CommandFailed } from "../config/CommandFailed.ts"
import { ownDatabaseUrl } from "./database.ts"
import { printRecord } from "./print.ts"
import { ceremonyCommand, fingerprintCommand, restoreCommand } from "./vaultCeremony.ts"

const reencrypt = Command.make(
  "reencrypt",
  {
    ...configFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ config, json }) {
    const { withMasterKeyFile } = yield* Effect.promise(() => import("../assemble/masterKeyFile.ts"))
    const variables = yield* withMasterKeyFile(yield* readVariables(config))
    const { SEALED_CUSTODY_DIRECTORY: folder, SECRETS_KEY: secrets, VAULT_MASTER_KEY: master } = variables
    if (master === undefined && secrets === undefined) {
      return yield* new CommandFailed({
        message: "VAULT_MASTER_KEY and SECRETS_KEY are missing; in each, the new key comes first, then the old ones."
      })
    }
    const keys = {
      ...(master === undefined ? {} : { masterKeys: Redacted.make(master) }),
      ...(secrets === undefined ? {} : { secretsKeys: Redacted.make(secrets) }),
      ...(folder ? { custodyFolder: folder } : {})
    }
    const { reencryptAll } = yield* Effect.promise(() => import("../assemble/reencryptAll.ts"))
    yield* printRecord(json, yield* reencryptAll(keys, ownDatabaseUrl(config)))
  })
).pipe(
  Command.withDescription(
    "Encrypt private keys under the first key of VAULT_MASTER_KEY, and webhook secrets under that of SECRETS_KEY; the service can keep running"
  ),
  Command.withExamples([
    { command: "bursar vault reencrypt", description: "After you put a new key in front and restarted the service" }
  ])
)

/** `bursar vault …` */
export const vaultCommand = Command.make("vault").pipe(
  Command.withDescription("Master keys, their backup shares, and the secrets that are encrypted under them"),
  Command.withSubcommands([ceremonyCommand, restoreCommand, fingerprintCommand, reencrypt])
)
