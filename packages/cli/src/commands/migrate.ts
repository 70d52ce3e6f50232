import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { configFlag } from "../config/environment.ts"
import { databaseUrl } from "./database.ts"

/** `bursar migrate` */
export const migrateCommand = Command.make(
  "migrate",
  configFlag,
  Effect.fn(function* ({ config }) {
    const { migrate } = yield* Effect.promise(() => import("@bursar/postgres"))
    const applied = yield* migrate({ url: yield* databaseUrl(config) })
    yield* Console.log(
      applied.length === 0 ? "The database is up to date." : applied.map((name) => `applied ${name}`).join("\n")
    )
  })
).pipe(Command.withDescription("Bring the database of DATABASE_URL to this version"))
