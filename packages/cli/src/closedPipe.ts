import { type Cause, PlatformError } from "effect"

/** The exit code of a program whose reader has closed the pipe, as a shell tells it: 128 and the number of SIGPIPE. */
export const closedPipeCode = 141

const isClosedPipe = (error: unknown): boolean => {
  if (!(error instanceof PlatformError.PlatformError)) return false
  const { cause, method, module } = error.reason
  return (
    module === "Stdio" && method === "stdout" && cause instanceof Error && "code" in cause && cause.code === "EPIPE"
  )
}

/** Whether a program failed only because nobody reads what it prints any more, as under `| head -1`: there is nobody to tell, and nothing went wrong. */
export const stoppedByReader = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.length > 0 && cause.reasons.every((reason) => reason._tag === "Fail" && isClosedPipe(reason.error))
