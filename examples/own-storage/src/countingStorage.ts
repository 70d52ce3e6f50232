import { Storage } from "@bursar/core/engine/Storage"
import { Context, Effect, Layer } from "effect"

/** How often the storage has committed since it was built, and how many commands went in. */
export interface Counts {
  readonly commits: number
  readonly commands: number
}

/** Tells the counts. */
export class CommitCounts extends Context.Service<CommitCounts, { readonly read: Effect.Effect<Counts> }>()(
  "example-own-storage/CommitCounts"
) {}

/** A storage that hands every commit on to the one that it is provided with, and counts those that were made. */
export const layerCounting = Layer.effectContext(
  Effect.gen(function* () {
    const under = yield* Storage
    let counts: Counts = { commits: 0, commands: 0 }
    const storage = Storage.of({
      commit: (tenantId, commands, context) =>
        Effect.tap(under.commit(tenantId, commands, context), () =>
          Effect.sync(() => {
            counts = { commits: counts.commits + 1, commands: counts.commands + commands.length }
          })
        )
    })
    return Context.make(Storage, storage).pipe(Context.add(CommitCounts, { read: Effect.sync(() => counts) }))
  })
)
