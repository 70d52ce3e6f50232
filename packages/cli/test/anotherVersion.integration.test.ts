import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { bursar } from "./support/bursar.ts"
import { environmentOf, migratedDatabase, secrets, serve, sqlOn } from "./support/world.ts"

it.live(
  "a database that another version has updated ends a process that runs, and no command works on it",
  () =>
    Effect.gen(function* () {
      const { url } = yield* migratedDatabase
      const server = yield* serve(environmentOf(url))
      yield* (yield* sqlOn(url))`insert into bursar_migration (migration_id, name) values (1000000, 'later')`
      const env = { DATABASE_URL: url, VAULT_MASTER_KEY: secrets.VAULT_MASTER_KEY }
      for (const command of [["vault", "reencrypt"], ["check"]]) {
        const refused = yield* bursar(command, { env })
        assert.strictEqual(refused.code, 1, command.join(" "))
        assert.include(refused.stderr, "was updated to a later version")
      }
      assert.strictEqual(yield* server.ended, 1)
      assert.include(yield* server.output, "was updated to a later version")
    }).pipe(Effect.scoped),
  120_000
)
