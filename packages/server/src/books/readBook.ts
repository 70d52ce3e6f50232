import type { Book, BookEntries } from "@bursar/books/Book"
import type { Timestamp } from "@bursar/core/base/Timestamp"
import type { StorageError } from "@bursar/core/engine/StorageError"
import type { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import { type Period, periodEnd, periodStart } from "@bursar/core/period/Period"
import { Journal, type PostingRange } from "@bursar/core/store/Journal"
import type { Tenant } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { ShownCurrencies } from "../wire/shownCurrencies.ts"

/** Postings in a row, with the moments between which they count as booked; the first's and the last's own where they are not given. */
export interface Extent {
  readonly range: PostingRange
  readonly from?: Timestamp | undefined
  readonly to?: Timestamp | undefined
}

/** The first and the last moment of a month. */
export const periodBounds = (period: Period): { readonly from: Timestamp; readonly to: Timestamp } => ({
  from: periodStart(period),
  to: periodEnd(period) - 1
})

/** A tenant's book of some postings, with the balances before and after them. */
export const readBook = Effect.fn("books.readBook")(function* (
  { id, name, slug, createdAt }: Tenant,
  shownIn: ShownCurrencies["shownIn"],
  { from, range, to }: Extent
): Effect.fn.Return<Book, StorageError, Journal> {
  const journal = yield* Journal
  const { after, through } = range
  const begins = from ?? (yield* journal.firstAfter(id, after)) ?? createdAt
  const ends = to ?? (through > after ? yield* journal.firstAfter(id, through - 1) : undefined) ?? begins
  const opening = yield* journal.balancesAt(id, after)
  const closing = yield* journal.balancesAt(id, through)
  return {
    tenant: { id, name, slug },
    // what the range touches is among these
    currencies: yield* shownIn(closing.map(({ currency }) => currency)),
    range: { after, through },
    from: begins,
    to: ends,
    opening,
    closing
  }
})

/** The book of a month that is closed. */
export const readClosedBook = (
  tenant: Tenant,
  shownIn: ShownCurrencies["shownIn"],
  closed: Pick<ClosedPeriod, "after" | "period" | "through">
): Effect.Effect<Book, StorageError, Journal> =>
  readBook(tenant, shownIn, { range: closed, ...periodBounds(closed.period) })

/** The postings of a book, read again each time. */
export const entriesOf =
  (journal: Journal["Service"], tenant: Tenant, { range }: Pick<Book, "range">): BookEntries<StorageError> =>
  (after, filter) =>
    journal.entries(tenant.id, { after, through: range.through }, filter)
