import { checkAll } from "@bursar/core/checker/checkAll"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { Tenants } from "@bursar/core/port/Tenants"
import { layer as layerPostgres } from "@bursar/postgres"
import { Effect, Option, type Redacted } from "effect"
import { CommandFailed } from "../config/CommandFailed.ts"
import { checkCurrencies } from "./checkCurrencies.ts"
import { checkPlaces } from "./checkPlaces.ts"
import { checkRules } from "./checkRules.ts"
import { showProgress } from "./showProgress.ts"

/** Checks the books of every tenant in a database, or of one, and what all tenants share. */
export const checkLedger = Effect.fn("assemble.checkBooks")(
  function* (
    _url: Redacted.Redacted,
    slug: Option.Option<string>,
    currencies: CurrencyTable,
    place: Option.Option<string>
  ) {
    yield* checkCurrencies(currencies)
    const { tenants, unreadable } = yield* (yield* Tenants).list
    const chosen = tenants.filter((tenant) => Option.isNone(slug) || tenant.slug === slug.value)
    if (Option.isSome(slug) && chosen.length === 0)
      return yield* new CommandFailed({ message: `There is no tenant ${slug.value}.` })
    const shown = showProgress(process.stderr)
    const places = Option.isNone(place) ? undefined : yield* checkPlaces(place.value, checkRules(currencies))
    const results = yield* Effect.ensuring(
      checkAll(chosen, {
        currencies,
        unreadable: Option.isNone(slug) ? unreadable : [],
        progress: shown.progress,
        ...(places === undefined ? {} : { place: places.of })
      }),
      shown.clear
    )
    if (places !== undefined) yield* places.forget
    return results.map(({ firstWrong, invariant, rule, tenant }) => ({
      tenant: tenant?.slug ?? null,
      invariant,
      rule,
      firstWrong
    }))
  },
  (effect, url) => Effect.provide(effect, layerPostgres({ url, maxConnections: 4, applicationName: "bursar check" }))
)
