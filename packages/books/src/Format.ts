import type { JournalEntry } from "@bursar/core/store/Journal"
import { Effect, Stream } from "effect"
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
  /** In pieces, of which there may be one for each account. */
  readonly header: (book: Book) => Iterable<string>
  readonly entry: (book: Book, entry: JournalEntry) => string
  /** In pieces, as the header is. */
  readonly footer: (book: Book) => Iterable<string>
}

/** After so many pieces of a text others get their turn: a few milliseconds. */
const piecesPerTurn = 500

/** A text of many pieces, each made when it is its turn. */
const inTurns = (pieces: () => Iterable<string>): Stream.Stream<string> =>
  Stream.suspend(() => Stream.fromIterable(pieces(), { chunkSize: piecesPerTurn })).pipe(
    Stream.mapArrayEffect((some, at) => {
      const text = Effect.succeed([some.join("")] as const)
      return at === 0 ? text : Effect.andThen(Effect.yieldNow, text)
    })
  )

/** A format that writes posting after posting, so that one text can go on where another was cut off. */
export const journalFormat = ({ entry, footer, header, ...about }: JournalFormat): Format => ({
  ...about,
  write: (book, entries, after) =>
    inTurns(() => (after === undefined ? header(book) : [])).pipe(
      Stream.concat(Stream.map(entries(after ?? book.range.after), (one) => entry(book, one))),
      Stream.concat(inTurns(() => footer(book)))
    )
})
