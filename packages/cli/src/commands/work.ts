import { Effect } from "effect"
import { Command } from "effect/cli"
import { configFlag, workSettings } from "../config/environment.ts"
import { overDatabase } from "../overDatabase.ts"
import { untilStopped } from "../untilStopped.ts"

/** `bursar work` */
export const workCommand = Command.make(
  "work",
  configFlag,
  Effect.fn(function* ({ config }) {
    const settings = yield* workSettings(config)
    const { work } = yield* Effect.promise(() => import("../assemble/work.ts"))
    return yield* overDatabase(settings.databaseUrl, work(settings))
  }, untilStopped)
).pipe(
  Command.withDescription(
    "Watch the networks, credit deposits, send payouts and deliver webhooks; configure it with environment variables"
  )
)
