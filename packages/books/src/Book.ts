import { type Timestamp, toIso } from "@bursar/core/base/Timestamp"
import { type Account, normalSide } from "@bursar/core/ledger/Account"
import type { Balance, Leg } from "@bursar/core/ledger/Leg"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { JournalEntry, JournalFilter, PostingRange } from "@bursar/core/store/Journal"
import type { Stream } from "effect"

/** What is exported of one tenant's books: a range of postings, and what every account held before and after it. */
export interface Book {
  readonly tenant: { readonly id: string; readonly slug: string; readonly name: string }
  readonly currencies: CurrencyTable
  readonly range: PostingRange
  /**
   * The first and the last moment of what is exported. A posting counts for the range that it is in, whatever the clock said: where
   * it was booked outside of these, formats date it at the nearer one, and tell its own time beside that.
   */
  readonly from: Timestamp
  readonly to: Timestamp
  readonly opening: ReadonlyArray<Balance>
  /** All accounts that the range touches are among these. */
  readonly closing: ReadonlyArray<Balance>
}

/** Reads the postings of the book from the one after a place on, to its end. */
export type BookEntries<E> = (after: number, filter?: JournalFilter) => Stream.Stream<JournalEntry, E>

/** Whether a book begins in the middle of the ledger, with balances that come from before. */
export const isContinued = ({ range }: Book): boolean => range.after > 0

/** A balance as debits less credits, so that those of a currency come to nothing. */
export const debitsOf = (account: Account, units: bigint): bigint => (normalSide(account) === "DEBIT" ? units : -units)

/** A leg as debits less credits. */
export const debitOf = ({ direction, units }: Pick<Leg, "direction" | "units">): bigint =>
  direction === "DEBIT" ? units : -units

/** A moment within the book: the nearer end of it where it is outside. */
export const within = ({ from, to }: Pick<Book, "from" | "to">, at: Timestamp): Timestamp =>
  Math.min(Math.max(at, from), Math.max(from, to))

/** The day (UTC) of a moment within the book: `2026-10-31`. */
export const dayOf = (book: Pick<Book, "from" | "to">, at: Timestamp): string => toIso(within(book, at)).slice(0, 10)
