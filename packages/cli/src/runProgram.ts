import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Console, Effect, Exit, Runtime, Stdio } from "effect"
import { CliError, Command } from "effect/cli"
import { closedPipeCode, stoppedByReader } from "./closedPipe.ts"
import { withOperands } from "./operands.ts"

/** What the shell says of a process that a signal has ended. */
const stoppedBy = { SIGINT: 130, SIGTERM: 143 }

/**
 * A command that was stopped ends as the shell says it of the signal, unless it was to run until then (`untilStopped`). A reader who has had enough ends
 * a program as SIGPIPE would.
 */
const makeTeardown = (): Runtime.Teardown => {
  let stopped = stoppedBy.SIGINT
  process.once("SIGTERM", () => {
    stopped = stoppedBy.SIGTERM
  })
  return (exit, onExit) => {
    if (Exit.isSuccess(exit)) return Runtime.defaultTeardown(exit, onExit)
    if (Cause.hasInterruptsOnly(exit.cause)) return onExit(Number(process.exitCode ?? stopped))
    return stoppedByReader(exit.cause) ? onExit(closedPipeCode) : Runtime.defaultTeardown(exit, onExit)
  }
}

const isShownHelp = (error: unknown) => CliError.isCliError(error) && error._tag === "ShowHelp"

/** Says what went wrong, unless the command has said it with its help. */
const report = Effect.fnUntraced(function* (cause: Cause.Cause<unknown>) {
  const told = cause.reasons.every((reason) => reason._tag === "Fail" && isShownHelp(reason.error))
  if (told || Cause.hasInterruptsOnly(cause) || stoppedByReader(cause)) return
  const { explain } = yield* Effect.promise(() => import("./explain.ts"))
  yield* Console.error(explain(cause))
})

/** Runs a command with the arguments of this process, says what fails, and ends the process with its exit code. */
export const runProgram = <Name extends string, Input, ContextInput, E>(
  command: Command.Command<Name, Input, ContextInput, E, NodeServices.NodeServices>
): void => {
  const main = Effect.flatMap(Stdio.Stdio, ({ args }) => args).pipe(
    Effect.flatMap((args) => Command.runWith(command, { version: "0.0.0" })(withOperands(args))),
    Effect.tapCause(report),
    Effect.provide(NodeServices.layer)
  )
  NodeRuntime.runMain(main, { teardown: makeTeardown(), disableErrorReporting: true })
}
