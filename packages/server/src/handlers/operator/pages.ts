import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import { listLimits } from "@bursar/api/wire/QueryParameters"
import { Effect } from "effect"
import { ServerConfig } from "../../config/ServerConfig.ts"
import { readPlace, writePlace } from "../register/Cursor.ts"

/** A list of operators that is read page by page. */
export interface PagedList<A, P> {
  /** Its name, by which its cursors are good for no other. */
  readonly name: string
  /** The texts that tell the place of a row. */
  readonly write: (row: A) => ReadonlyArray<string>
  /** The place that texts tell. */
  readonly read: (texts: ReadonlyArray<string>) => P
}

/** Which page is asked for, under which filters. */
export interface AskedPage {
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
  /** As they were asked for, the page and its size aside. */
  readonly filters: Readonly<Record<string, string | undefined>>
}

/** Makes what reads the pages of a list: rows behind a place, one more than are shown, and the cursor of the next page. */
export const pagesOf = <A, P>({ name, read, write }: PagedList<A, P>) =>
  Effect.map(ServerConfig, ({ cursorSecret: secret }) =>
    Effect.fnUntraced(function* (
      { cursor, filters, limit = listLimits.operatorLists.default }: AskedPage,
      rows: (after: P | undefined, limit: number) => Effect.Effect<ReadonlyArray<A>, ApiError>
    ) {
      const binding = { secret, tenantId: `operators ${name}`, filters }
      const place = cursor === undefined ? undefined : readPlace(binding, cursor)
      if (cursor !== undefined && place === undefined) return yield* apiError("invalid_cursor")
      const found = yield* rows(place === undefined ? undefined : read(place), limit + 1)
      const page = found.slice(0, limit)
      const last = page.at(-1)
      return { page, next: found.length > limit && last !== undefined ? writePlace(binding, write(last)) : null }
    })
  )
