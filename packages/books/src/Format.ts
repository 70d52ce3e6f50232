import type { JournalEntry } from "@bursar/core/store/Journal"
import { Stream } from "effect"
import type { Book, BookEntries } from "./Book.ts"

/** A way to write a book. */
export interface Format {
  readonly contentType: string
  /** The end of the name of a file. */
  readonly extension: string
  /**
   * Where the text of a posting begins, with its number as the first group: so a file that was cut off is cut back to the last posting
   * that is whole, and goes on from there. Null for a format that can only be written whole.
   */
  readonly posting: RegExp | null
  /** The text from a posting on: that after `after`, or from the top where it is not given. */
  readonly write: <E>(book: Book, entries: BookEntries<E>, after?: number) => Stream.Stream<string, E>
}

/** What a format that writes posting after posting is made of. */
export interface JournalFormat {
  readonly contentType: string
  readonly extension: string
  readonly posting: RegExp
  readonly header: (book: Book) => string
  readonly entry: (book: Book, entry: JournalEntry) => string
  readonly footer: (book: Book) => string
}

/** A format that writes posting after posting, so that one text can go on where another was cut off. */
export const journalFormat = ({ entry, footer, header, ...about }: JournalFormat): Format => ({
  ...about,
  write: (book, entries, after) =>
    Stream.fromIterable(after === undefined ? [header(book)] : []).pipe(
      Stream.concat(Stream.map(entries(after ?? book.range.after), (one) => entry(book, one))),
      Stream.concat(Stream.sync(() => footer(book)))
    )
})
