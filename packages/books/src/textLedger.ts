import { toIso } from "@bursar/core/base/Timestamp"
import type { Account } from "@bursar/core/ledger/Account"
import type { Balance } from "@bursar/core/ledger/Leg"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { type Book, isContinued } from "./Book.ts"
import { productOf } from "./product.ts"
import { plainText } from "./plainText.ts"

/** What a ledger for a plain-text program begins with, in the order in which it is written. */
export interface Declared {
  readonly codes: ReadonlyArray<string>
  readonly accounts: ReadonlyArray<Account>
  /** The balances that the book goes on from; none where it begins with the ledger. */
  readonly carried: ReadonlyArray<Balance>
}

/** The currencies and accounts of a book, and what it is carried forward with. */
export const declaredIn = (book: Book): Declared => ({
  codes: [...new Set(book.closing.map(({ currency }) => currency))].toSorted(),
  accounts: [...new Set(book.closing.map(({ account }) => account))].toSorted(),
  carried: isContinued(book) ? book.opening.filter(({ units }) => units !== 0n) : []
})

/** What is told of a posting beside its lines, by name. Foreign texts cannot break out of their line. */
export const notesOf = ({ postedAt, subject }: JournalEntry): ReadonlyArray<readonly [name: string, text: string]> => {
  const foreign = (name: string, text: string | null) => (text === null ? [] : [[name, plainText(text)] as const])
  return [
    ["operation", subject.id],
    ["product", productOf(subject)],
    ["time", toIso(postedAt)],
    ...foreign("reference", subject.partnerReference),
    ...foreign("network", subject.network),
    ...foreign("transaction", subject.txHash)
  ]
}
