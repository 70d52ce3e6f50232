import { Effect } from "effect"
import { Command } from "effect/cli"
import { devFlags } from "../dev/DevOptions.ts"

/** `bursar dev` */
export const devCommand = Command.make(
  "dev",
  devFlags,
  Effect.fn(function* (options) {
    const { runDev } = yield* Effect.promise(() => import("../dev/runDev.ts"))
    return yield* runDev(options)
  })
).pipe(
  Command.withDescription("Run everything on this machine: PostgreSQL, local networks, server, worker, demo tenants")
)
