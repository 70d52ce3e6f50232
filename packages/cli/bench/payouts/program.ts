import * as SupervisedProcess from "@bursar/simulator-kit/SupervisedProcess"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { tempDir } from "../../test/support/tempDir.ts"

/** How long a process may take to say what is waited for. */
const patience = "5 minutes"

/**
 * Starts a script of this package in a process of its own, which ends with the scope. `says` waits for a line of JSON that it
 * writes and that `pick` takes; `pid` is the process. With `BENCH_PROFILE` it leaves a profile of its processor time in that directory.
 */
export const startScript = Effect.fnUntraced(function* (
  script: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) {
  const profile = process.env["BENCH_PROFILE"]
  const child = yield* SupervisedProcess.spawn({
    command: process.execPath,
    args: [
      ...(profile === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profile}`]),
      fileURLToPath(new URL(script, import.meta.url)),
      ...args
    ],
    env,
    stopSignal: "SIGTERM",
    graceMs: 30_000
  })
  const says = <A>(pick: (line: Readonly<Record<string, unknown>>) => A | undefined) =>
    child.waitForLine((line) => (line.startsWith("{") ? pick(JSON.parse(line)) : undefined), patience)
  return { says, pid: child.pid }
})

/** Writes what a script is told, as JSON, into a file of the scope, and gives its path: an argument has room for 128 KiB. */
export const toldIn = (what: unknown) =>
  Effect.map(tempDir, (folder) => {
    const path = join(folder, "told.json")
    writeFileSync(path, JSON.stringify(what))
    return path
  })
