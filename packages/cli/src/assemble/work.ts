import { Effect, Layer } from "effect"
import type { WorkSettings } from "../config/Settings.ts"
import { layerLogs } from "./logs.ts"
import { bindNetworks } from "./bindNetworks.ts"
import { showMetrics } from "./metrics.ts"
import { layerProviders, type Providers } from "./providers.ts"
import { layerStorage } from "./storage.ts"
import { tellWrongSecretsKey } from "./tellWrongSecrets.ts"
import { layerReconciler, layerWork } from "./worker.ts"

/** Works over storage of this process's own and providers, those of the settings unless others are given, until it is interrupted. */
export const work = (settings: WorkSettings, providers: Providers = layerProviders(settings)) =>
  Effect.logInfo("worker.started").pipe(
    Effect.annotateLogs({ networks: settings.networks.map(({ network }) => network).join(", ") || "none" }),
    Effect.andThen(tellWrongSecretsKey),
    Effect.andThen(showMetrics(settings)),
    Effect.andThen(Effect.never),
    Effect.scoped,
    Effect.provide(Layer.merge(layerWork(settings), layerReconciler(settings))),
    Effect.provide(providers),
    (working) => Effect.andThen(bindNetworks(settings), working),
    // outside: providers that are called in turn share the turns through it
    Effect.provide(layerStorage(settings, "bursar work")),
    Effect.provide(layerLogs(settings))
  )
