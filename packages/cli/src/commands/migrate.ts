import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CommandFailed } from "../config/CommandFailed.ts"
import { configFlag } from "../config/environment.ts"
import { databaseUrl } from "./database.ts"
import { printText } from "./print.ts"

const migrateDatabase = Effect.fn("migrate.migrateDatabase")(function* (config: Option.Option<string>) {
  const { migrate } = yield* Effect.promise(() => import("@bursar/postgres"))
  const applied = yield* migrate({ url: yield* databaseUrl(config) })
  yield* printText(
    applied.length === 0 ? "The database is up to date." : applied.map((name) => `applied ${name}`).join("\n")
  )
})

/** Prints what makes the roles of the processes; no database is asked. */
const printRoles = Effect.fn("migrate.printRoles")(function* (prefix: string) {
  const { roleScript } = yield* Effect.promise(() => import("@bursar/postgres"))
  yield* printText(yield* Effect.fromResult(roleScript(prefix)))
})

const applyRolesOf = Effect.fn("migrate.applyRolesOf")(function* (config: Option.Option<string>, prefix: string) {
  const { applyRoles, roleScript } = yield* Effect.promise(() => import("@bursar/postgres"))
  // a prefix that cannot be used is refused before the database changes
  yield* Effect.fromResult(roleScript(prefix))
  yield* migrateDatabase(config)
  yield* applyRoles({ url: yield* databaseUrl(config), prefix })
  yield* printText(`The roles ${prefix}_serve, ${prefix}_work and ${prefix}_sign are up to date.`)
})

/** Writes the totals of every tenant's operations anew, one tenant after the other. */
const writeTotals = Effect.fn("migrate.writeTotals")(function* (config: Option.Option<string>) {
  const { layer, layerConnection, rebuildTotals } = yield* Effect.promise(() => import("@bursar/postgres"))
  const { Tenants } = yield* Effect.promise(() => import("@bursar/core/port/Tenants"))
  yield* migrateDatabase(config)
  const options = { url: yield* databaseUrl(config), maxConnections: 2, applicationName: "bursar migrate" }
  yield* Effect.gen(function* () {
    const { tenants: readable, unreadable } = yield* (yield* Tenants).list
    const tenants = [...readable, ...unreadable]
    for (const { id } of tenants) yield* rebuildTotals(id)
    yield* printText(`The totals of ${tenants.length} tenants are what their operations come to.`)
  }).pipe(Effect.provide(layer(options)), Effect.provide(layerConnection(options)))
})

/** `bursar migrate` */
export const migrateCommand = Command.make(
  "migrate",
  {
    ...configFlag,
    roles: Flag.String("roles").pipe(
      Flag.withDescription(
        "Print the SQL that makes a role for each process, <prefix>_serve, <prefix>_work and <prefix>_sign, and change nothing"
      ),
      Flag.optional
    ),
    apply: Flag.Boolean("apply").pipe(
      Flag.withDescription("With --roles: bring the database to this version, and make the roles on it"),
      Flag.withDefault(false)
    ),
    totals: Flag.Boolean("totals").pipe(
      Flag.withDescription("Also write anew the totals from which summaries are read"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* ({ apply, config, roles, totals }) {
    if (Option.isSome(roles)) return yield* apply ? applyRolesOf(config, roles.value) : printRoles(roles.value)
    if (apply) return yield* new CommandFailed({ message: "--apply needs --roles <prefix>." })
    return yield* totals ? writeTotals(config) : migrateDatabase(config)
  })
).pipe(Command.withDescription("Bring the database of DATABASE_URL to this version"))
