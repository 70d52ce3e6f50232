import { Effect, Schedule } from "effect"
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { isAlive } from "@bursar/simulator-kit/SupervisedProcess"

/** Succeeds once no process has this id. */
export const untilGone = (pid: number) =>
  Effect.sync(() => isAlive(pid)).pipe(
    Effect.repeat({ while: (alive) => alive, schedule: Schedule.spaced("20 millis") }),
    Effect.asVoid
  )

/** Runs a module of this package's test support in a process of its own, until its first line of output. */
export const startScript = (name: string, args: ReadonlyArray<string>) =>
  Effect.callback<{ readonly pid: number; readonly line: string; readonly kill: (signal: NodeJS.Signals) => void }>(
    (resume) => {
      const child = spawn(process.execPath, [`${import.meta.dirname}/${name}`, ...args], {
        stdio: ["ignore", "pipe", "inherit"]
      })
      createInterface({ input: child.stdout }).once("line", (line) =>
        resume(Effect.succeed({ pid: child.pid as number, line, kill: (signal) => child.kill(signal) }))
      )
    }
  )
