import { untilStopped } from "@bursar/cli/untilStopped"
import { Effect } from "effect"
import { Command } from "effect/cli"
import { devFlags } from "./DevOptions.ts"

/** `bursar-dev` */
export const devCommand = Command.make(
  "bursar-dev",
  devFlags,
  Effect.fn(
    function* (options) {
      // the signer loads in its own process while this one does
      const { loadSigner } = yield* Effect.promise(() => import("./loadSigner.ts"))
      const loading = yield* loadSigner
      const { runDev } = yield* Effect.promise(() => import("./runDev.ts"))
      return yield* runDev(options, loading)
    },
    Effect.scoped,
    untilStopped
  )
).pipe(
  Command.withDescription("Run everything on this machine: PostgreSQL, local networks, server, worker, demo tenants")
)
