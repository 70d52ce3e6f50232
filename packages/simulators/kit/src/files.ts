import { Effect } from "effect"
import { DevnetError } from "./DevnetError.ts"

/** Runs a file system operation; a failure becomes `file_failed` and names what was tried. */
export const file = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, DevnetError> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new DevnetError({
        code: "file_failed",
        message: `could not ${what}: ${cause instanceof Error ? cause.message : String(cause)}`,
        hint: "Check that the path exists, is writable by this user, and that the disk is not full.",
        cause
      })
  })
