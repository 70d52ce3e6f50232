import { Effect } from "effect"
import { spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { type History, historyText } from "./history.ts"

const folder = fileURLToPath(new URL("linearizability/", import.meta.url))

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Go, which the checker is written in; undefined where it is not installed. */
export const go = (process.env["PATH"] ?? "")
  .split(delimiter)
  .map((place) => join(place, "go"))
  .find(isProgram)

/** What Porcupine says of a history: the parts of it that no order explains. */
export const judgeHistory = (program: string, history: History): Effect.Effect<ReadonlyArray<string>> =>
  Effect.callback((resume) => {
    const checker = spawn(program, ["run", "."], { cwd: folder })
    const [told, complaints]: readonly [Array<Buffer>, Array<Buffer>] = [[], []]
    checker.stdout.on("data", (bytes: Buffer) => void told.push(bytes))
    checker.stderr.on("data", (bytes: Buffer) => void complaints.push(bytes))
    checker.on("close", (code) => {
      const wrong = Buffer.concat(told).toString().split("\n").filter(Boolean)
      const failed = code === 0 ? [] : [`the checker ended with ${code}: ${Buffer.concat(complaints).toString()}`]
      resume(Effect.succeed([...wrong, ...failed]))
    })
    checker.stdin.end(historyText(history))
    return Effect.sync(() => checker.kill())
  })
