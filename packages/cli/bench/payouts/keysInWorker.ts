import { listenSigner } from "@bursar/signer"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Result } from "effect"
import { environmentFor, type Variables } from "../../test/support/environmentFor.ts"
import { bindNetworks } from "../../src/assemble/bindNetworks.ts"
import { layerLogs } from "../../src/assemble/logs.ts"
import { layerProviders } from "../../src/assemble/providers.ts"
import { layerSignerStorage, openSigner } from "../../src/assemble/sign.ts"
import { layerStorage } from "../../src/assemble/storage.ts"
import { layerReconciler, layerWorkBeside } from "../../src/assemble/worker.ts"
import { readSignSettings, readWorkSettings } from "../../src/config/Settings.ts"

// A worker that holds the keys itself, as an embedder may have it. It listens as a signer too, for the server.
if (import.meta.main) {
  const env: Variables = JSON.parse(process.argv[2] ?? "")
  const working = Result.getOrThrow(readWorkSettings(environmentFor("work", env)))
  const signing = Result.getOrThrow(readSignSettings(environmentFor("sign", env)))
  Effect.gen(function* () {
    const { services: keys } = yield* Effect.provide(
      openSigner(signing),
      yield* Layer.build(layerSignerStorage(signing))
    )
    yield* Effect.provide(listenSigner(signing.listen), keys)
    yield* Effect.logInfo("signer.started")
    yield* bindNetworks(working)
    const works = Layer.merge(layerWorkBeside(working), layerReconciler(working)).pipe(
      Layer.provide(Layer.succeedContext(keys))
    )
    return yield* Effect.provide(Effect.never, works)
  }).pipe(
    Effect.scoped,
    Effect.provide(layerProviders(working)),
    Effect.provide(layerStorage(working, "bursar work")),
    Effect.provide(layerLogs(working)),
    NodeRuntime.runMain
  )
}
