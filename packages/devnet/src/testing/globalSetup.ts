import { Effect, Exit, Scope } from "effect"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "../postgres/EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Url of the PostgreSQL server that all suites of the run share; each creates its own database. */
    readonly postgresUrl: string
  }
}

/**
 * Vitest's global set-up: starts one PostgreSQL for the whole run and provides `postgresUrl`, or provides the server named by
 * the environment variable `DATABASE_URL_TEST`. What it returns stops the server and removes its data.
 */
export default (project: TestProject): Promise<() => Promise<void>> =>
  Effect.runPromise(Effect.gen(function*() {
    const existing = process.env["DATABASE_URL_TEST"]
    if (existing !== undefined && existing !== "") {
      project.provide("postgresUrl", existing)
      return () => Promise.resolve()
    }
    const scope = yield* Scope.make()
    const dataDir = yield* Effect.promise(() => mkdtemp(join(tmpdir(), "bursar-test-postgres-")))
    const server = yield* Effect.onError(
      Scope.provide(EmbeddedPostgres.make({ dataDir, persistent: false }), scope),
      (cause) => Scope.close(scope, Exit.failCause(cause))
    )
    project.provide("postgresUrl", server.url)
    return () => Effect.runPromise(Scope.close(scope, Exit.void))
  }))
