import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import { vi } from "vitest"
import type { TestProject } from "vitest/node"
import { withConnection } from "../src/admin.ts"
import * as EmbeddedPostgres from "../src/EmbeddedPostgres.ts"
import * as TestDatabase from "../src/TestDatabase.ts"
import globalSetup from "../src/testing/globalSetup.ts"
import { postgresUrl } from "../src/testing/postgresUrl.ts"
import { tempDir } from "@bursar/simulator-kit/tempDir"

const names = (url: string) =>
  Effect.map(
    withConnection(url, (sql) => sql<{ readonly datname: string }>`select datname from pg_database order by 1`),
    (rows) => rows.map((row) => row.datname)
  )

describe("TestDatabase", () => {
  it.live(
    "prepares a template once, gives each suite its own copy and drops it",
    () =>
      Effect.gen(function* () {
        const server = yield* EmbeddedPostgres.make({ dataDir: yield* tempDir, persistent: false })
        const preparations = yield* Ref.make(0)
        const template: TestDatabase.Template<never, never> = {
          name: "migrated",
          prepare: (url) =>
            Effect.andThen(
              Ref.update(preparations, (n) => n + 1),
              Effect.orDie(Effect.asVoid(withConnection(url, (sql) => sql`create table t as select 1 as n`)))
            )
        }
        yield* Effect.scoped(
          Effect.gen(function* () {
            const suites = yield* Effect.all(
              Array.from({ length: 4 }, () => TestDatabase.make(server.url, template)),
              { concurrency: "unbounded" }
            )
            assert.strictEqual(new Set(suites.map((suite) => suite.name)).size, 4)
            yield* withConnection(suites[0]?.url ?? "", (sql) => sql`insert into t values (2)`)
            assert.lengthOf(yield* withConnection(suites[0]?.url ?? "", (sql) => sql`select n from t`), 2)
            assert.lengthOf(yield* withConnection(suites[1]?.url ?? "", (sql) => sql`select n from t`), 1)
          })
        )
        assert.strictEqual(yield* Ref.get(preparations), 1)
        assert.deepEqual(yield* names(server.url), ["postgres", "template0", "template1", "template_migrated"])
      }),
    60_000
  )

  it.live(
    "does not keep a template whose preparation failed",
    () =>
      Effect.gen(function* () {
        const server = yield* EmbeddedPostgres.make({ dataDir: yield* tempDir, persistent: false })
        const failing = { name: "flaky", prepare: () => Effect.fail("not yet" as const) }
        assert.strictEqual(yield* Effect.flip(TestDatabase.make(server.url, failing)), "not yet")
        const { url } = yield* TestDatabase.make(server.url, { name: "flaky", prepare: () => Effect.void })
        assert.lengthOf(yield* withConnection(url, (sql) => sql`select 1`), 1)
      }),
    60_000
  )

  it.live(
    "makes databases on the server of the run",
    () =>
      Effect.gen(function* () {
        const { name, url } = yield* TestDatabase.makeEmpty(postgresUrl())
        const [row] = yield* withConnection(url, (sql) => sql`select current_database() as name`)
        assert.deepEqual(row, { name })
      }),
    60_000
  )

  it.live(
    "the global set-up provides a server to the run and takes it away again",
    () =>
      Effect.gen(function* () {
        const provided = new Map<string, string>()
        // where the run has a server already, it would provide that one
        vi.stubEnv("DATABASE_URL_TEST", "")
        yield* Effect.addFinalizer(() => Effect.sync(() => vi.unstubAllEnvs()))
        const project = { provide: (key: string, value: string) => provided.set(key, value) }
        // The set-up uses nothing of a project but `provide`.
        const stop = yield* Effect.promise(() => globalSetup(project as unknown as TestProject))
        const url = provided.get("postgresUrl") ?? ""
        assert.lengthOf(yield* withConnection(url, (sql) => sql`select 1`), 1)
        yield* Effect.promise(stop)
        assert.strictEqual((yield* Effect.flip(withConnection(url, (sql) => sql`select 1`))).code, "database_failed")
      }),
    60_000
  )
})
