/** Starts PostgreSQL and anvil, says so, and waits to be killed. */
import { Effect } from "effect"
import * as Anvil from "../../src/Anvil.ts"
import * as EmbeddedPostgres from "@bursar/simulator-postgres/EmbeddedPostgres"

const dataDir = process.argv[2] ?? ""

await Effect.runPromise(
  Effect.scoped(
    Effect.gen(function* () {
      const postgres = yield* EmbeddedPostgres.make({ dataDir, persistent: true })
      const anvil = yield* Anvil.make({ network: "bsc", stateFile: `${dataDir}/bsc.json` })
      console.log(
        JSON.stringify({
          postgres: postgres.process.pid,
          anvil: anvil.process.pid,
          supervisors: [postgres.process.supervisorPid, anvil.process.supervisorPid]
        })
      )
      yield* Effect.never
    })
  )
)
