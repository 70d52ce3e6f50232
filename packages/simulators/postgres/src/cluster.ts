import { Effect } from "effect"
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { file } from "@bursar/simulator-kit/files"
import { spawn } from "@bursar/simulator-kit/SupervisedProcess"
import type { Account, RunAs } from "./account.ts"

/** The superuser of every embedded server. */
export const superuser = "bursar"

/** An initialised data directory. */
export interface Cluster {
  /** PGDATA. */
  readonly directory: string
  readonly password: string
}

/** Where things are inside the directory a caller gives us. */
export const layout = (dataDir: string) => ({
  cluster: join(dataDir, "cluster"),
  unfinished: join(dataDir, "cluster.unfinished"),
  password: join(dataDir, "password")
})

const own = (path: string, account: Account | undefined) =>
  account === undefined
    ? Effect.void
    : file(`give ${path} to ${account.uid}`, () => chown(path, account.uid, account.gid))

/** Creates the directory itself, which the server's account may enter. */
export const prepareDataDir = (dataDir: string, account: Account | undefined): Effect.Effect<void, DevnetError> =>
  file(`create ${dataDir}`, async () => {
    await mkdir(dataDir, { recursive: true })
    if (account !== undefined) await chmod(dataDir, 0o711)
  })

/**
 * Initialises the cluster unless it is there, and gives its password.
 *
 * **Details**
 *
 * The cluster appears under its final name only when complete, so a process killed half-way leaves nothing to trip
 * over. The password is random, 0600, and stays as long as the cluster does. One that is not `durable` is not waited for
 * until it is on the disk.
 */
export const initialise = Effect.fn("cluster.initialise")(function* (
  dataDir: string,
  initdb: string,
  account: Account | undefined,
  run: RunAs,
  durable: boolean
): Effect.fn.Return<Cluster, DevnetError> {
  const paths = layout(dataDir)
  if (existsSync(paths.cluster)) {
    const password = yield* file(`read ${paths.password}`, () => readFile(paths.password, "utf8"))
    return { directory: paths.cluster, password: password.trim() }
  }
  const password = randomBytes(24).toString("base64url")
  yield* file(`create ${paths.unfinished}`, async () => {
    await rm(paths.unfinished, { recursive: true, force: true })
    await mkdir(paths.unfinished, { mode: 0o700 })
    await rm(paths.password, { force: true })
    await writeFile(paths.password, `${password}\n`, { mode: 0o600 })
  })
  yield* own(paths.unfinished, account)
  yield* own(paths.password, account)
  yield* Effect.scoped(
    Effect.gen(function* () {
      const initialising = yield* spawn({
        ...run(initdb, [
          ...["--pgdata", paths.unfinished, "--username", superuser, "--pwfile", paths.password],
          ...["--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale", "--no-instructions"],
          ...(durable ? [] : ["--no-sync"])
        ]),
        cwd: dataDir,
        env: { LC_ALL: "C" },
        stopSignal: "SIGTERM",
        graceMs: 5_000
      })
      const code = yield* initialising.exited
      if (code !== 0) {
        return yield* new DevnetError({
          code: "process_failed",
          message: `initdb ended with code ${code}:\n${yield* initialising.output}`,
          hint: "Read the output above; a full disk or a read-only directory are the usual causes."
        })
      }
    })
  )
  yield* file(`finish ${paths.cluster}`, () => rename(paths.unfinished, paths.cluster))
  return { directory: paths.cluster, password }
})
