import { Effect } from "effect"
import { Command } from "effect/cli"
import { layerProviders } from "../assemble/providers.ts"
import { layerLogs } from "../assemble/logs.ts"
import { runServer } from "../assemble/server.ts"
import { layerStorage } from "../assemble/storage.ts"
import { configFlag, settingsOf } from "../config/environment.ts"

/** `bursar serve` */
export const serveCommand = Command.make(
  "serve",
  configFlag,
  Effect.fn(function* ({ config }) {
    const settings = yield* settingsOf(config)
    yield* Effect.gen(function* () {
      const { operator, partner } = yield* runServer(settings)
      yield* Effect.logInfo("serving").pipe(Effect.annotateLogs({ partner: partner.url, operator: operator.url }))
      return yield* Effect.never
    }).pipe(
      Effect.scoped,
      Effect.provide(layerStorage(settings, "bursar serve")),
      Effect.provide(layerProviders(settings.providers)),
      Effect.provide(layerLogs(settings))
    )
  })
).pipe(Command.withDescription("Serve the partner API and the operator API; configured by the environment"))
