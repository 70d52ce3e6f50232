import { checkTenant } from "@bursar/core/checker/checkTenant"
import { Books } from "@bursar/core/port/Books"
import { Tenants } from "@bursar/core/port/Tenants"
import { layer as layerPostgres } from "@bursar/postgres"
import { Effect, Option, type Redacted } from "effect"
import { CommandFailed } from "../commands/CommandFailed.ts"

/** Checks the books of every tenant in a database, or of one. */
export const checkBooks = Effect.fn("assemble.checkBooks")(
  function* (_url: Redacted.Redacted, slug: Option.Option<string>) {
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
  },
  (effect, url) => Effect.provide(effect, layerPostgres({ url, maxConnections: 4, applicationName: "bursar check" }))
)
