import { toIso } from "@bursar/core/base/Timestamp"
import type { Balance } from "@bursar/core/ledger/Leg"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { type Book, dayOf } from "./Book.ts"
import { fixedIn } from "./decimal.ts"
import { journalFormat } from "./Format.ts"
import { productOf } from "./product.ts"

/** JSON leaves some characters as they are by which other programs end a line. */
const line = (value: unknown): string =>
  `${JSON.stringify(value).replaceAll(/[\u0085\u2028\u2029]/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)}\n`

const balances = (book: Book, all: ReadonlyArray<Balance>) =>
  all.map(({ account, currency, units }) => ({
    account,
    currency,
    balance: fixedIn(book.currencies, units, currency)
  }))

const header = (book: Book): Iterable<string> => {
  const { currencies, from, opening, range, tenant, to } = book
  const codes = [...new Set(book.closing.map(({ currency }) => currency))].toSorted()
  return [
    line({
      type: "opening",
      tenant,
      after: range.after,
      through: range.through,
      from: toIso(from),
      to: toIso(to),
      currencies: codes.map((code) => ({ code, decimals: currencies.byCode(code)?.decimals })),
      balances: balances(book, opening)
    })
  ]
}

const entry = (book: Book, { legs, postedAt, posting, subject }: JournalEntry): string =>
  line({
    posting,
    date: dayOf(book, postedAt),
    time: toIso(postedAt),
    operation: subject.id,
    kind: subject.kind,
    product: productOf(subject),
    network: subject.network,
    reference: subject.partnerReference,
    transaction: subject.txHash,
    legs: legs.map(({ account, balance, currency, direction, units, what }) => ({
      account,
      currency,
      purpose: what,
      direction,
      amount: fixedIn(book.currencies, units, currency),
      balance: fixedIn(book.currencies, balance, currency)
    }))
  })

/** An object a line: what was before, a posting each, and what was after. Amounts are decimal texts. */
export const jsonl = journalFormat({
  contentType: "application/x-ndjson",
  extension: "jsonl",
  posting: /^\{"posting":(\d+),/gmu,
  header,
  entry,
  footer: (book) => [line({ type: "closing", through: book.range.through, balances: balances(book, book.closing) })]
})
