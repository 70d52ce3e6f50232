import { Effect, Exit, Schedule, Scope } from "effect"
import { rm } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { dirname, resolve } from "node:path"
import { DevnetError } from "@bursar/simulator-kit/DevnetError"
import { file } from "@bursar/simulator-kit/files"
import { spawn } from "@bursar/simulator-kit/SupervisedProcess"
import type { SupervisedProcess } from "@bursar/simulator-kit/SupervisedProcess"
import { runAs, serverAccount } from "./account.ts"
import type { RunAs } from "./account.ts"
import * as Admin from "./admin.ts"
import { binaries } from "./binaries.ts"
import { initialise, layout, prepareDataDir, superuser } from "./cluster.ts"
import type { Cluster } from "./cluster.ts"
import { clearLeftover } from "./leftover.ts"
import { settings } from "./settings.ts"

/** Where a local PostgreSQL keeps its data and listens. */
export interface EmbeddedPostgresOptions {
  /** A directory for this server alone; created if absent. */
  readonly dataDir: string
  /** A fixed port; 0 or absent takes a free one at each start. */
  readonly port?: number
  /** Whether the data stays when the scope closes. Otherwise the directory is removed. */
  readonly persistent: boolean
  /**
   * Whether what is committed outlives a loss of power, as it does in production; true where absent. A server of tests
   * alone need not wait for the disk.
   */
  readonly durable?: boolean
}

/** A running PostgreSQL 18. */
export interface EmbeddedPostgres {
  /** `postgres://…` of the superuser in the database `postgres`, password included. */
  readonly url: string
  readonly port: number
  readonly process: SupervisedProcess
  /** The url of another database of this server. */
  readonly urlOf: (database: string) => string
  /**
   * Creates a database, as a copy of `template` if given, and returns its url. Fails with `database_failed` if it
   * exists.
   */
  readonly createDatabase: (name: string, template?: string) => Effect.Effect<string, DevnetError>
  /** Creates the database unless it exists, and returns its url. */
  readonly ensureDatabase: (name: string) => Effect.Effect<string, DevnetError>
  /** Drops the database if it exists, throwing out whoever is connected. */
  readonly dropDatabase: (name: string) => Effect.Effect<void, DevnetError>
}

/**
 * How often a start is tried when the free port found was taken in between, or the last run's memory is still attached.
 */
const startsMax = 5

const freePort = Effect.callback<number, DevnetError>((resume) => {
  const server = createServer()
  server.on("error", (cause) =>
    resume(
      Effect.fail(
        new DevnetError({
          code: "listen_failed",
          message: "no free port on 127.0.0.1",
          hint: "Check the loopback interface.",
          cause
        })
      )
    )
  )
  server.listen(0, "127.0.0.1", () => {
    // The address of a TCP server that listens is an AddressInfo.
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

const start = (cluster: Cluster, postgres: string, run: RunAs, wanted: number, durable: boolean) =>
  Effect.gen(function* () {
    const port = wanted === 0 ? yield* freePort : wanted
    const server = yield* spawn({
      ...run(postgres, [
        ...["-D", cluster.directory],
        ...Object.entries(settings(port, durable)).flatMap(([name, value]) => ["-c", `${name}=${value}`])
      ]),
      cwd: cluster.directory,
      env: { LC_ALL: "C", PGTZ: "UTC" },
      // Fast shutdown: sessions are ended, a checkpoint is written.
      stopSignal: "SIGINT",
      graceMs: 20_000
    })
    yield* server.waitForLine(
      (line) => (line.includes("database system is ready to accept connections") ? true : undefined),
      "60 seconds"
    )
    return { port, process: server }
  })

/**
 * Starts PostgreSQL 18 on 127.0.0.1 with a password of its own, initialising the data directory at first use, and
 * shuts it down with the scope.
 *
 * **Details**
 *
 * UTF-8, C locale, UTC; no Unix socket. Run by root, the server runs as `postgres` or `nobody`. What a killed run left
 * behind is cleared up. Fails with `data_dir_in_use` while another process uses the directory.
 */
export const make = Effect.fn("EmbeddedPostgres.make")(function* (
  options: EmbeddedPostgresOptions
): Effect.fn.Return<EmbeddedPostgres, DevnetError, Scope.Scope> {
  const dataDir = resolve(options.dataDir)
  const durable = options.durable ?? true
  const programs = yield* binaries
  const account = yield* serverAccount
  yield* prepareDataDir(dataDir, account)
  const run = yield* runAs(account, [dataDir, dirname(programs.postgres)])
  yield* clearLeftover(layout(dataDir).cluster)
  if (!options.persistent) {
    yield* Effect.addFinalizer(() =>
      Effect.ignore(file(`remove ${dataDir}`, () => rm(dataDir, { recursive: true, force: true })))
    )
  }
  const cluster = yield* initialise(dataDir, programs.initdb, account, run, durable)
  const scope = yield* Effect.scope
  const attempt = Effect.gen(function* () {
    // A scope of its own: a failed attempt must be gone before the next.
    const own = yield* Scope.fork(scope)
    return yield* Effect.onError(
      Scope.provide(start(cluster, programs.postgres, run, options.port ?? 0, durable), own),
      (cause) => Scope.close(own, Exit.failCause(cause))
    )
  })
  const server = yield* Effect.retry(attempt, {
    while: (error) => /Address already in use|could not bind|shared memory block/u.test(error.message),
    schedule: Schedule.spaced("300 millis"),
    times: startsMax - 1
  })
  const url = `postgres://${superuser}:${cluster.password}@127.0.0.1:${server.port}/postgres`
  return {
    ...server,
    url,
    urlOf: (database) => Admin.urlOf(url, database),
    createDatabase: (name, template) => Admin.createDatabase(url, name, template),
    ensureDatabase: (name) => Admin.ensureDatabase(url, name),
    dropDatabase: (name) => Admin.dropDatabase(url, name)
  }
})
