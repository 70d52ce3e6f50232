import { Moment } from "@bursar/core/grant/fields"
import type { TakenRestored } from "@bursar/signer"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { configFlag } from "../config/environment.ts"
import { printText } from "./print.ts"
import { overDatabase, requireDatabase } from "../overDatabase.ts"
import { untilStopped } from "../untilStopped.ts"

const isMoment = Schema.is(Moment)

const unlikeSaid = ({ lost, name }: TakenRestored): string =>
  lost.length === 0
    ? "Nothing was changed. The database lacks nothing that the signer has seen: say --restored without --giving-up."
    : [
        "Nothing was changed. By what the signer has seen, the database lacks something, or may:",
        ...lost.map((one) => `- ${one}`),
        `If you have looked for each of these, and its newest state is back or lost for good, say --restored --giving-up ${name}`
      ].join("\n")

/** `bursar sign` */
export const signCommand = Command.make(
  "sign",
  {
    ...configFlag,
    recover: Flag.Boolean("recover").pipe(
      Flag.withDescription(
        "The store is lost: begin a new one, which refuses every request made before now; say it once"
      ),
      Flag.withDefault(false)
    ),
    adopt: Flag.Boolean("adopt").pipe(
      Flag.withDescription("A version before signed without a store: begin one, with what the database has as signed"),
      Flag.withDefault(false)
    ),
    restored: Flag.Boolean("restored").pipe(
      Flag.withDescription(
        "The database was restored: say what the signer has seen that it lacks, take it as it is if that is nothing and no rollback was noticed, and end"
      ),
      Flag.withDefault(false)
    ),
    givingUp: Flag.String("giving-up").pipe(
      Flag.withDescription(
        "With --restored: take the database as it is though it lacks what this names, as --restored alone shows it. With --recover: give up the store of this id, as --recover alone shows it"
      ),
      Flag.optional
    ),
    wrongUntil: Flag.String("wrong-until").pipe(
      Flag.withDescription(
        "With --recover: this host's clock is right, and what was signed later than that says a wrong time, until this one"
      ),
      Flag.optional
    )
  },
  Effect.fn(function* ({ adopt, config, givingUp, recover, restored, wrongUntil }) {
    if ([adopt, recover, restored].filter((said) => said).length > 1)
      return yield* new CommandFailed({ message: "--recover, --adopt and --restored exclude each other." })
    if (Option.isSome(givingUp) && !restored && !recover)
      return yield* new CommandFailed({ message: "--giving-up goes with --restored or --recover." })
    if (Option.isSome(wrongUntil) && !(recover && isMoment(wrongUntil.value)))
      return yield* new CommandFailed({
        message: "--wrong-until goes with --recover, and takes a moment such as 2026-11-23T09:00:00.000Z."
      })
    const { signSettings } = yield* Effect.promise(() => import("../assemble/masterKeyFile.ts"))
    const settings = yield* signSettings(config)
    const { sign, signRestored } = yield* Effect.promise(() => import("../assemble/sign.ts"))
    if (restored) {
      yield* requireDatabase(settings.databaseUrl)
      const restoration = yield* signRestored(settings, Option.getOrUndefined(givingUp))
      const { isTaken, lost } = restoration
      if (!isTaken) return yield* new CommandFailed({ message: unlikeSaid(restoration) })
      return yield* printText(
        `The signer goes on from the database as it is, and gave up ${lost.length} things, each in the log. Start it without --restored.`
      )
    }
    const recovering = {
      ...(Option.isSome(wrongUntil) && { wrongUntil: Date.parse(wrongUntil.value) }),
      ...(Option.isSome(givingUp) && { givingUp: givingUp.value })
    }
    const signing = sign(settings, recover ? "recover" : adopt ? "adopt" : undefined, recovering)
    return yield* untilStopped(overDatabase(settings.databaseUrl, signing))
  })
).pipe(
  Command.withDescription(
    "Hold the keys of all wallets, and sign what partners have asked for; the only process with VAULT_MASTER_KEY"
  )
)
