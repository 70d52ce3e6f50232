import { allCustodians, allFiatProviders } from "@bursar/core/port/EarlierProviders"
import { booksOf } from "@bursar/core/reconciliation/statement/nameLines"
import { Effect } from "effect"

/** The places of the custodians and banks that are known here, by their names. */
export const providerPlaces: Effect.Effect<ReadonlySet<string>> = Effect.gen(function* () {
  const books = [...booksOf("custodian", yield* allCustodians), ...booksOf("bank", yield* allFiatProviders)]
  return new Set(books.map(({ place }) => place))
})
