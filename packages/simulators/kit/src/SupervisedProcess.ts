import { Deferred, Effect } from "effect"
import type { Duration, Scope } from "effect"
import { spawn as spawnChild } from "node:child_process"
import type { ChildProcess } from "node:child_process"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { DevnetError } from "./DevnetError.ts"
import { supervisorSource } from "./supervisorSource.ts"

/** How many of the last lines a process wrote are kept to explain a failure. */
const outputLinesMax = 200

/** A word in the supervisor's command line by which it can be recognised; our own pid follows it. */
export const supervisorMark = "bursar-devnet-supervisor"

/** What to run and how to end it. */
export interface SupervisedCommand {
  /** Absolute path of the program. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd?: string
  /** Added to our environment. */
  readonly env?: Readonly<Record<string, string>>
  /** Another account to run under; possible for root only. */
  readonly account?: { readonly uid: number; readonly gid: number }
  /** The signal that asks for a clean stop. */
  readonly stopSignal: "SIGINT" | "SIGTERM"
  /** How long a clean stop may take before SIGKILL. */
  readonly graceMs: number
}

/** A running program that ends with its scope, and with our process if that comes first. */
export interface SupervisedProcess {
  /** Of the program itself, not of its supervisor. */
  readonly pid: number
  readonly supervisorPid: number
  /** Succeeds with the exit code once the program is gone. */
  readonly exited: Effect.Effect<number>
  /** The last lines it wrote, both streams. */
  readonly output: Effect.Effect<string>
  /**
   * Succeeds with the first line, already written or yet to come, for which `pick` gives a value. Fails with
   * `process_failed` if the program ends first, and with `start_timeout` after `within`.
   */
  readonly waitForLine: <A>(
    pick: (line: string) => A | undefined,
    within: Duration.Input
  ) => Effect.Effect<A, DevnetError>
}

type Listener = (line: string) => void

interface State {
  readonly child: ChildProcess
  readonly lines: Array<string>
  readonly listeners: Set<Listener>
  readonly exited: Deferred.Deferred<number>
  readonly pid: Deferred.Deferred<number, DevnetError>
}

const keep = (state: State, stream: Readable) => {
  createInterface({ input: stream }).on("line", (line) => {
    state.lines.push(line)
    if (state.lines.length > outputLinesMax) state.lines.shift()
    for (const listener of state.listeners) listener(line)
  })
}

const failed = (command: string, what: string) =>
  new DevnetError({
    code: "process_failed",
    message: `${command} ${what}`,
    hint: "Read the output above; run the command by hand if it says too little."
  })

const start = (options: SupervisedCommand): State => {
  const { NODE_OPTIONS: _, ...inherited } = process.env
  const { account, env, ...rest } = options
  const child = spawnChild(
    process.execPath,
    ["-e", supervisorSource, JSON.stringify({ ...rest, ...account }), supervisorMark, String(process.pid)],
    // A group of its own: Ctrl-C in a terminal must reach us first, so that we can finish before our nodes are stopped.
    { detached: true, env: { ...inherited, ...env }, stdio: ["pipe", "pipe", "pipe", "pipe"] }
  )
  const state: State = {
    child,
    lines: [],
    listeners: new Set(),
    exited: Deferred.makeUnsafe(),
    pid: Deferred.makeUnsafe()
  }
  // The pipes exist: all four were asked for above.
  keep(state, child.stdout as Readable)
  keep(state, child.stderr as Readable)
  child.stdin?.on("error", () => {})
  createInterface({ input: child.stdio[3] as Readable }).on("line", (line) => {
    const told = JSON.parse(line) as { readonly pid?: number; readonly error?: string }
    Deferred.doneUnsafe(
      state.pid,
      told.pid === undefined
        ? Effect.fail(failed(options.command, `could not be started: ${told.error}`))
        : Effect.succeed(told.pid)
    )
  })
  child.on("error", (error) => {
    Deferred.doneUnsafe(state.pid, Effect.fail(failed(options.command, `could not be supervised: ${error.message}`)))
    Deferred.doneUnsafe(state.exited, Effect.succeed(127))
  })
  child.on("close", (code) => {
    Deferred.doneUnsafe(state.pid, Effect.fail(failed(options.command, "ended before it started")))
    Deferred.doneUnsafe(state.exited, Effect.succeed(code ?? 137))
  })
  return state
}

/** Whether a process with this id exists, ours or not. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Node's own functions throw errors with a code.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const stop = (state: State, options: SupervisedCommand) =>
  Effect.gen(function* () {
    state.child.stdin?.destroy()
    yield* Deferred.await(state.exited)
    const pid = yield* Effect.exit(Deferred.await(state.pid))
    // Only if somebody killed the supervisor itself: then the program is still there and is ours to stop.
    if (pid._tag === "Success" && state.child.signalCode !== null && isAlive(pid.value)) {
      process.kill(pid.value, options.stopSignal)
    }
  })

const waitForLine =
  (state: State, options: SupervisedCommand): SupervisedProcess["waitForLine"] =>
  (pick, within) => {
    type A = Exclude<ReturnType<typeof pick>, undefined>
    const found = Effect.callback<A, DevnetError>((resume) => {
      const listener: Listener = (line) => {
        const value = pick(line)
        if (value !== undefined) resume(Effect.succeed(value as A))
      }
      state.lines.forEach(listener)
      state.listeners.add(listener)
      return Effect.sync(() => state.listeners.delete(listener))
    })
    const ended = Effect.flatMap(Deferred.await(state.exited), (code) =>
      Effect.fail(failed(options.command, `ended with code ${code}:\n${state.lines.join("\n")}`))
    )
    return Effect.raceFirst(found, ended).pipe(
      Effect.timeoutOrElse({
        duration: within,
        orElse: () =>
          Effect.fail(
            new DevnetError({
              code: "start_timeout",
              message: `${options.command} did not become ready in time:\n${state.lines.join("\n")}`,
              hint: "The machine may be very busy; try again, or read the output for what it waits for."
            })
          )
      })
    )
  }

/**
 * Starts a program under a supervisor and stops it, cleanly, when the scope closes. The scope's finaliser returns only
 * when the program is gone.
 */
export const spawn = Effect.fn("SupervisedProcess.spawn")(function* (
  options: SupervisedCommand
): Effect.fn.Return<SupervisedProcess, DevnetError, Scope.Scope> {
  const state = yield* Effect.acquireRelease(
    Effect.sync(() => start(options)),
    (started) => stop(started, options)
  )
  const pid = yield* Deferred.await(state.pid)
  return {
    pid,
    // Set by Node as soon as the spawn succeeded, which the line above waited for.
    supervisorPid: state.child.pid as number,
    exited: Deferred.await(state.exited),
    output: Effect.sync(() => state.lines.join("\n")),
    waitForLine: waitForLine(state, options)
  }
})
