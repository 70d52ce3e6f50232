import { Effect } from "effect"
import { Command } from "effect/cli"
import { configFlag, workSettings } from "../config/environment.ts"
import { untilStopped } from "../untilStopped.ts"

/** `bursar work` */
export const workCommand = Command.make(
  "work",
  configFlag,
  Effect.fn(function* ({ config }) {
    const settings = yield* workSettings(config)
    const { requireDatabase } = yield* Effect.promise(() => import("@bursar/postgres"))
    yield* requireDatabase({ url: settings.databaseUrl })
    const { work } = yield* Effect.promise(() => import("../assemble/work.ts"))
    return yield* work(settings)
  }, untilStopped)
).pipe(
  Command.withDescription(
    "Watch the networks, credit deposits, send payouts and deliver webhooks; configure it with environment variables"
  )
)
