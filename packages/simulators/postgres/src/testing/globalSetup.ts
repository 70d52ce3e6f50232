import { Effect, Exit, Scope } from "effect"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { isAlive } from "@bursar/simulator-kit/SupervisedProcess"
import * as EmbeddedPostgres from "../EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Url of the PostgreSQL server that all suites of the run share; each creates its own database. */
    readonly postgresUrl: string
  }
}

/** Directories of this set-up are called after it and the process that made them. */
const prefix = "bursar-test-postgres-"

/** Removes what runs that were killed left behind. Their servers ended with them. */
const sweep = Effect.gen(function* () {
  const names = yield* Effect.promise(() => readdir(tmpdir()))
  const left = names.filter(
    (name) => name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length).split("-")[0]))
  )
  yield* Effect.forEach(left, (name) =>
    Effect.ignore(Effect.tryPromise(() => rm(join(tmpdir(), name), { recursive: true, force: true })))
  )
})

/**
 * Vitest's global set-up: starts one PostgreSQL for the whole run and provides `postgresUrl`, or provides the server
 * named by the environment variable `DATABASE_URL_TEST`. What it returns stops the server and removes its data.
 */
export default (project: TestProject): Promise<() => Promise<void>> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const existing = process.env["DATABASE_URL_TEST"]
      if (existing !== undefined && existing !== "") {
        project.provide("postgresUrl", existing)
        return () => Promise.resolve()
      }
      yield* sweep
      const scope = yield* Scope.make()
      const dataDir = yield* Effect.promise(() => mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`)))
      const server = yield* Effect.onError(
        Scope.provide(EmbeddedPostgres.make({ dataDir, persistent: false, durable: false }), scope),
        (cause) => Scope.close(scope, Exit.failCause(cause))
      )
      project.provide("postgresUrl", server.url)
      // the other projects of the run share it
      process.env["DATABASE_URL_TEST"] = server.url
      return () => {
        delete process.env["DATABASE_URL_TEST"]
        return Effect.runPromise(Scope.close(scope, Exit.void))
      }
    })
  )
