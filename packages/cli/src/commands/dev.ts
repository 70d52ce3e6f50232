import { Command } from "effect/cli"
import { devFlags } from "../dev/DevOptions.ts"
import { runDev } from "../dev/runDev.ts"

/** `bursar dev` */
export const devCommand = Command.make("dev", devFlags, runDev).pipe(
  Command.withDescription("Run everything on this machine: PostgreSQL, local networks, server, worker, demo tenants")
)
