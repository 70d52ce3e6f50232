import { checkTenant } from "@bursar/core/checker/checkTenant"
import { Books } from "@bursar/core/port/Books"
import { Tenants } from "@bursar/core/port/Tenants"
import { layer as layerPostgres } from "@bursar/postgres"
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { configFlag } from "../config/environment.ts"
import { CommandFailed } from "./CommandFailed.ts"
import { databaseUrl } from "./database.ts"
import { printRows } from "./print.ts"

/** Checks the books of every tenant, or of one. */
const checkBooks = Effect.fn("check.checkBooks")(function* (slug: Option.Option<string>) {
  const books = yield* Books
  const tenants = yield* (yield* Tenants).list
  const chosen = tenants.filter((tenant) => Option.isNone(slug) || tenant.slug === slug.value)
  if (Option.isSome(slug) && chosen.length === 0)
    return yield* new CommandFailed({ message: `There is no tenant ${slug.value}.` })
  const results = yield* Effect.forEach(chosen, (tenant) =>
    Effect.map(books.snapshot(tenant.id, checkTenant), (found) =>
      found.map((result) => ({ tenant: tenant.slug, ...result }))
    )
  )
  return results.flat()
})

/** `bursar check` */
export const checkCommand = Command.make(
  "check",
  {
    ...configFlag,
    json: Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, for programs"), Flag.withDefault(false)),
    tenant: Flag.String("tenant").pipe(Flag.withDescription("Check one tenant, by its slug"), Flag.optional)
  },
  Effect.fn(function* ({ config, json, tenant }) {
    const url = yield* databaseUrl(config)
    const results = yield* checkBooks(tenant).pipe(
      Effect.provide(layerPostgres({ url, maxConnections: 4, applicationName: "bursar check" }))
    )
    const wrong = results.filter(({ firstWrong }) => firstWrong !== null)
    yield* printRows(
      json,
      json
        ? results
        : results.map(({ firstWrong, pass, tenant: slug }) => ({ tenant: slug, pass, found: firstWrong ?? "ok" })),
      "There are no tenants yet."
    )
    if (wrong.length > 0) {
      return yield* new CommandFailed({ message: `${wrong.length} of ${results.length} checks found something wrong.` })
    }
    if (!json) yield* Console.log(`\n${results.length} checks passed.`)
  })
).pipe(Command.withDescription("Re-derive every tenant's books and name the first wrong row of each broken rule"))
