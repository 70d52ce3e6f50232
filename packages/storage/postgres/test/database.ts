import * as TestDatabase from "@bursar/simulator-postgres/TestDatabase"
import { postgresUrl } from "@bursar/simulator-postgres/testing/postgresUrl"
import { layer, migrate } from "@bursar/postgres"
import { migrations } from "@bursar/postgres/migrations/all"
import { Effect, Exit, Redacted, Scope } from "effect"
import { afterAll } from "vitest"

/** A database of the test file's own, dropped when its tests are over, with what opens it as one process would. */
export interface TestFileDatabase {
  readonly url: Redacted.Redacted
  /** All ports over pools of their own, which write at any moment: each call stands for another process. */
  readonly ports: () => ReturnType<typeof layer>
}

const open = async (
  make: Effect.Effect<TestDatabase.TestDatabase["Service"], unknown, Scope.Scope>
): Promise<TestFileDatabase> => {
  const scope = Effect.runSync(Scope.make())
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const database = await Effect.runPromise(Scope.provide(make, scope))
  const url = Redacted.make(database.url)
  return { url, ports: () => layer({ url, maxConnections: 8, applicationName: "bursar-test", anyMoment: true }) }
}

/** A migrated database. */
export const migratedDatabase = (): Promise<TestFileDatabase> =>
  open(
    TestDatabase.make(postgresUrl(), {
      name: `bursar_${migrations.length}`,
      prepare: (url) => Effect.asVoid(migrate({ url: Redacted.make(url) }))
    })
  )

/** A database without a schema. */
export const emptyDatabase = (): Promise<TestFileDatabase> => open(TestDatabase.makeEmpty(postgresUrl()))
