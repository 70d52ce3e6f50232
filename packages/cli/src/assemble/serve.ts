import { Effect } from "effect"
import type { ServeSettings } from "../config/Settings.ts"
import { layerLogs } from "./logs.ts"
import { bindNetworks } from "./bindNetworks.ts"
import { layerProviders } from "./providers.ts"
import { runServer } from "./server.ts"
import { layerStorage } from "./storage.ts"

/** Serves both interfaces over storage and providers of this process's own until it is interrupted. */
export const serve = (settings: ServeSettings) =>
  Effect.gen(function* () {
    const { operator, partner } = yield* runServer(settings)
    yield* Effect.logInfo("server.started").pipe(Effect.annotateLogs({ partner: partner.url, operator: operator.url }))
    return yield* Effect.never
  }).pipe(
    Effect.scoped,
    Effect.provide(layerProviders(settings)),
    (serving) => Effect.andThen(bindNetworks(settings), serving),
    // outside: providers that are called in turn share the turns through it
    Effect.provide(layerStorage(settings, "bursar serve")),
    Effect.provide(layerLogs(settings))
  )
