import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { configFlag } from "../config/environment.ts"
import { untilStopped } from "../untilStopped.ts"

/** `bursar sign` */
export const signCommand = Command.make(
  "sign",
  {
    ...configFlag,
    recover: Flag.Boolean("recover").pipe(
      Flag.withDescription("The store is lost: begin a new one, which refuses every request made before now"),
      Flag.withDefault(false)
    ),
    adopt: Flag.Boolean("adopt").pipe(
      Flag.withDescription("A version before signed without a store: begin one, with what the database has as signed"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* ({ adopt, config, recover }) {
    if (adopt && recover) return yield* new CommandFailed({ message: "--recover and --adopt exclude each other." })
    const { signSettings } = yield* Effect.promise(() => import("../assemble/masterKeyFile.ts"))
    const settings = yield* signSettings(config)
    const { requireServer } = yield* Effect.promise(() => import("@bursar/postgres"))
    yield* requireServer({ url: settings.databaseUrl })
    const { sign } = yield* Effect.promise(() => import("../assemble/sign.ts"))
    return yield* sign(settings, recover ? "recover" : adopt ? "adopt" : undefined)
  }, untilStopped)
).pipe(
  Command.withDescription(
    "Hold the keys of all wallets, and sign what partners have asked for; the only process with VAULT_MASTER_KEY"
  )
)
