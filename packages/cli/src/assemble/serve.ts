import { Effect } from "effect"
import type { ServeSettings } from "../config/Settings.ts"
import { layerLogs } from "./logs.ts"
import { bindNetworks } from "./bindNetworks.ts"
import { layerProviders, type Providers } from "./providers.ts"
import { runServer } from "./server.ts"
import { layerStorage } from "./storage.ts"
import { tellWrongPepper, tellWrongSecretsKey } from "./tellWrongSecrets.ts"

/** Serves both interfaces over storage of this process's own and providers, those of the settings unless others are given, until it is interrupted. */
export const serve = (settings: ServeSettings, providers: Providers = layerProviders(settings)) =>
  Effect.gen(function* () {
    const { operator, partner } = yield* runServer(settings)
    yield* Effect.logInfo("server.started").pipe(Effect.annotateLogs({ partner: partner.url, operator: operator.url }))
    yield* tellWrongPepper(settings.keyPepper)
    yield* tellWrongSecretsKey
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.provide(providers),
    (serving) => Effect.andThen(bindNetworks(settings), serving),
    // outside: providers that are called in turn share the turns through it
    Effect.provide(layerStorage(settings, "bursar serve")),
    Effect.provide(layerLogs(settings))
  )
