import { Effect, FileSystem } from "effect"
import { CommandFailed } from "./CommandFailed.ts"

/** The bits of a file's mode that let others than its owner read or write it. */
const othersMask = 0o077

/** The text of a file that a variable names. What others than its owner may read or write is no secret, and is refused. */
export const readSecretFile = Effect.fn("secretFile.read")(function* (variable: string, path: string) {
  const files = yield* FileSystem.FileSystem
  const unreadable = () => new CommandFailed({ message: `${variable}: ${path} cannot be read.` })
  const { mode } = yield* Effect.mapError(files.stat(path), unreadable)
  if ((mode & othersMask) !== 0)
    return yield* new CommandFailed({
      message: `${variable}: others than its owner can read or write ${path}. Run chmod 600 on it.`
    })
  return yield* Effect.mapError(files.readFileString(path), unreadable)
})
