import * as SupervisedProcess from "@bursar/simulator-kit/SupervisedProcess"
import type { DevnetError } from "@bursar/simulator-kit"
import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { programAt } from "./programAt.ts"

const main = programAt(new URL("../../src/main.ts", import.meta.url))

/** How long a process may take to become ready, or to say what is waited for, before the test fails. */
export const patience = "60 seconds"

/** How a command ended. */
export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Where and with what a command runs: nothing of our own environment but the way to programs. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

const bare = (env: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env["PATH"] ?? "",
  HOME: process.env["HOME"] ?? "",
  // The same source is compiled many times here.
  NODE_COMPILE_CACHE: join(tmpdir(), "bursar-cli-test-compile-cache"),
  ...env
})

/** Runs `bursar …` to its end, as a user does. */
export const bursar = (args: ReadonlyArray<string>, { cwd, env }: Surroundings = {}): Effect.Effect<Ended> =>
  Effect.callback<Ended>((resume, signal) => {
    const options = { env: bare(env), signal, ...(cwd === undefined ? {} : { cwd }) }
    execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 255
      resume(Effect.succeed({ code, stdout, stderr }))
    })
  })

/** A line of the log, as `bursar serve` and `bursar work` write it. */
export interface LogLine {
  readonly message: string
  readonly level: string
  readonly annotations: Readonly<Record<string, string>>
}

const logLine = (line: string): LogLine | undefined => {
  // What is not JSON was not logged: Node's own warnings, for instance.
  if (!line.startsWith("{")) return undefined
  const { annotations, level, message } = JSON.parse(line)
  return { message: String(message), level, annotations: annotations ?? {} }
}

/** A `bursar …` that runs on. It ends with its scope if not before. */
export interface Running {
  readonly pid: number
  /** Its exit code once it is gone: 137 after SIGKILL. */
  readonly ended: Effect.Effect<number>
  /** Sends a signal to the program itself and gives its exit code: 137 after SIGKILL. */
  readonly kill: (signal: "SIGTERM" | "SIGKILL") => Effect.Effect<number>
  /** The first log line with this message, written or yet to come. */
  readonly says: (message: string) => Effect.Effect<LogLine, DevnetError>
  /** The first line of output, of any form, that a pattern matches. */
  readonly prints: (pattern: RegExp) => Effect.Effect<string, DevnetError>
  readonly output: Effect.Effect<string>
}

/** Starts `bursar …`. It cannot outlive the test, however that ends. */
export const start = (args: ReadonlyArray<string>, surroundings: Surroundings = {}) =>
  startProgram(main, args, surroundings)

/** Starts any program of ours, as `start` does. */
export const startProgram = Effect.fnUntraced(function* (
  program: string,
  args: ReadonlyArray<string>,
  { cwd, env }: Surroundings = {}
): Effect.fn.Return<Running, DevnetError, Scope.Scope> {
  const child = yield* SupervisedProcess.spawn({
    command: process.execPath,
    args: [program, ...args],
    ...(cwd === undefined ? {} : { cwd }),
    env: bare(env),
    stopSignal: "SIGTERM",
    graceMs: 30_000
  })
  return {
    pid: child.pid,
    ended: child.exited,
    kill: (signal) =>
      Effect.andThen(
        Effect.sync(() => process.kill(child.pid, signal)),
        Effect.timeoutOrElse(child.exited, {
          duration: patience,
          orElse: () =>
            Effect.flatMap(child.output, (output) => Effect.die(new Error(`it goes on after ${signal}:\n${output}`)))
        })
      ),
    says: (message) =>
      child.waitForLine((text) => {
        const line = logLine(text)
        return line?.message === message ? line : undefined
      }, patience),
    prints: (pattern) => child.waitForLine((text) => (pattern.test(text) ? text : undefined), patience),
    output: child.output
  }
})
