import { Handshake, handshakeFile } from "@bursar/cli/config/Handshake"
import * as SupervisedProcess from "@bursar/simulator-kit/SupervisedProcess"
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type HeapUnknown, openHeap, inspectorIn } from "./heap.ts"

/** A whole service that runs in processes of its own: PostgreSQL, networks, server, worker, signer. */
export interface Service {
  readonly handshake: Handshake
  /** What the process of server and worker holds once all garbage is collected, in bytes. */
  readonly heap: Effect.Effect<number, HeapUnknown>
  /** What `bursar check` has to say; undefined where it finds nothing. */
  readonly check: Effect.Effect<string | undefined>
  /** The last lines of its log. */
  readonly output: Effect.Effect<string>
}

const startPatience = "180 seconds"

/** The files of the programs that are run: `bursar` and `bursar-dev`. */
export interface Programs {
  readonly cli: string
  readonly dev: string
}

/** As they are in the workspace. */
export const ownPrograms: Programs = {
  cli: fileURLToPath(import.meta.resolve("@bursar/cli/main")),
  dev: fileURLToPath(import.meta.resolve("@bursar/dev/main"))
}

const checkAt = (programs: Programs, databaseUrl: string): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", DATABASE_URL: databaseUrl }
    execFile(process.execPath, [programs.cli, "check"], { env }, (error, stdout, stderr) =>
      resume(Effect.succeed(error === null ? undefined : `${stdout}${stderr}`))
    )
  })

/** Starts the service that `npm start` runs, on free ports and in a folder of its own; both go with the scope. */
export const startService = Effect.fn("fuzz.startService")(function* (programs: Programs) {
  const dataDir = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-fuzz-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )
  const child = yield* SupervisedProcess.spawn({
    command: process.execPath,
    args: ["--inspect=127.0.0.1:0", programs.dev, "--port", "0", "--operator-port", "0", "--data-dir", dataDir],
    stopSignal: "SIGTERM",
    graceMs: 30_000
  })
  const heap = yield* openHeap(yield* child.waitForLine(inspectorIn, startPatience))
  yield* child.waitForLine((line) => (line.startsWith("Bursar is running") ? true : undefined), startPatience)
  const text = readFileSync(join(dataDir, handshakeFile), "utf8")
  const handshake = yield* Schema.decodeUnknownEffect(Schema.fromJsonString(Handshake))(text)
  const service: Service = {
    handshake,
    heap,
    check: checkAt(programs, handshake.database_url),
    output: child.output
  }
  return service
})
