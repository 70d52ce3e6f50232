import { toIso } from "@bursar/core/base/Timestamp"
import type { Balance } from "@bursar/core/ledger/Leg"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { type Book, dayOf } from "./Book.ts"
import { csvRow, foreign } from "./csvRow.ts"
import { fixedIn } from "./decimal.ts"
import { journalFormat } from "./Format.ts"
import { productOf } from "./product.ts"

/** The columns, in their order. `balance` is on the normal side of the account; `debit` and `credit` are never below zero. */
export const csvColumns = [
  "posting",
  "line",
  "date",
  "time",
  "operation",
  "kind",
  "product",
  "purpose",
  "account",
  "currency",
  "debit",
  "credit",
  "balance",
  "reference",
  "network",
  "transaction"
] as const

const balanceRow = (book: Book, kind: "OPENING" | "CLOSING", { account, currency, units }: Balance): string => {
  const [posting, at] = kind === "OPENING" ? [book.range.after, book.from] : [book.range.through, book.to]
  const balance = fixedIn(book.currencies, units, currency)
  return csvRow([
    `${posting}`,
    "",
    dayOf(book, at),
    "",
    "",
    kind,
    "",
    "",
    account,
    currency,
    "",
    "",
    balance,
    "",
    "",
    ""
  ])
}

const header = function* (book: Book): Iterable<string> {
  yield csvRow(csvColumns)
  for (const balance of book.opening) yield balanceRow(book, "OPENING", balance)
}

const footer = function* (book: Book): Iterable<string> {
  for (const balance of book.closing) yield balanceRow(book, "CLOSING", balance)
}

const entry = (book: Book, { legs, postedAt, posting, subject }: JournalEntry): string =>
  legs
    .map(({ account, balance, currency, direction, ordinal, units, what }) => {
      const amount = fixedIn(book.currencies, units, currency)
      return csvRow([
        `${posting}`,
        `${ordinal}`,
        dayOf(book, postedAt),
        toIso(postedAt),
        subject.id,
        subject.kind ?? "UNKNOWN",
        productOf(subject),
        what,
        account,
        currency,
        direction === "DEBIT" ? amount : "",
        direction === "CREDIT" ? amount : "",
        fixedIn(book.currencies, balance, currency),
        foreign(subject.partnerReference ?? ""),
        foreign(subject.network ?? ""),
        foreign(subject.txHash ?? "")
      ])
    })
    .join("")

/** A row for each leg, between the balances before and after. No foreign text ends a line or is a formula. */
export const csv = journalFormat({
  contentType: "text/csv; charset=utf-8",
  extension: "csv",
  // opening and closing rows have no line
  posting: /^(\d+),\d+,/gmu,
  header,
  entry,
  footer
})
