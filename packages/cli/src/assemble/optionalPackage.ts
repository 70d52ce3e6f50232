import { Effect } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"

/** A package that is installed only by those who use it, such as that of a custody. */
export const optionalPackage = <A>(name: string, load: () => Promise<A>): Effect.Effect<A, CommandFailed> =>
  Effect.tryPromise({
    try: load,
    catch: () => new CommandFailed({ message: `The package ${name} is not installed. Install it beside @bursar/cli.` })
  })
