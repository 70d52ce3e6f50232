import { Effect } from "effect"
import { Command } from "effect/cli"
import { configFlag, serveSettings } from "../config/environment.ts"
import { overDatabase } from "../overDatabase.ts"
import { untilStopped } from "../untilStopped.ts"

/** `bursar serve` */
export const serveCommand = Command.make(
  "serve",
  configFlag,
  Effect.fn(function* ({ config }) {
    const settings = yield* serveSettings(config)
    const { serve } = yield* Effect.promise(() => import("../assemble/serve.ts"))
    return yield* overDatabase(settings.databaseUrl, serve(settings))
  }, untilStopped)
).pipe(Command.withDescription("Serve the partner API and the operator API; configure it with environment variables"))
