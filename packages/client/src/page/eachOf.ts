import { Effect, Option, Stream } from "effect"
import type { Pager } from "./pagers.ts"

/** Every item of a list from the query's position on, page by page; a page is asked for when it is needed. */
export const eachOf = <Query, Page, Item, Position extends Partial<Query>, E, R>(
  pager: Pager<Page, Item, Position>,
  list: (query: Query) => Effect.Effect<Page, E, R>,
  query: Query
): Stream.Stream<Item, E, R> =>
  Stream.paginate(query, (asked) =>
    Effect.map(list(asked), (page) => {
      const position = pager.next(page)
      const next = position === undefined ? Option.none() : Option.some({ ...asked, ...position })
      return [pager.items(page), next] as const
    })
  )
