import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { layerProviders } from "../assemble/providers.ts"
import { layerLogs } from "../assemble/logs.ts"
import { layerStorage } from "../assemble/storage.ts"
import { layerWork } from "../assemble/worker.ts"
import { configFlag, settingsOf } from "../config/environment.ts"

/** `bursar work` */
export const workCommand = Command.make(
  "work",
  configFlag,
  Effect.fn(function* ({ config }) {
    const settings = yield* settingsOf(config)
    yield* Effect.logInfo("working").pipe(
      Effect.annotateLogs({ networks: settings.networks.map(({ network }) => network).join(", ") || "none" }),
      Effect.andThen(Effect.never),
      Effect.provide(Layer.provide(layerWork(settings), layerStorage(settings, "bursar work"))),
      Effect.provide(layerProviders(settings.providers)),
      Effect.provide(layerLogs(settings))
    )
  })
).pipe(
  Command.withDescription("Watch the networks, credit deposits and deliver webhooks; configured by the environment")
)
