import { type Account, isAsset, isOwed } from "@bursar/core/ledger/Account"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { type Book, dayOf, debitOf, debitsOf } from "./Book.ts"
import { decimalsOf, fixedIn } from "./decimal.ts"
import { journalFormat } from "./Format.ts"
import { plainText } from "./plainText.ts"
import { declaredIn, notesOf } from "./textLedger.ts"

/** The letter by which hledger knows what an account is. */
const typeOf = (account: Account): string => {
  if (isOwed(account)) return "L"
  if (account === "fees") return "R"
  if (account === "network_fees") return "X"
  return isAsset(account) || account === "exchange" || account.startsWith("suspense") ? "A" : "E"
}

const amount = ({ currencies }: Book, units: bigint, code: string): string =>
  `${fixedIn(currencies, units, code)} "${code}"`

const header = function* (book: Book): Iterable<string> {
  const { currencies, range, tenant } = book
  const { accounts, carried, codes } = declaredIn(book)
  yield `; ${plainText(tenant.slug)} ${tenant.id}, postings after ${range.after} through ${range.through}\n`
  yield "; Foreign texts are percent-encoded.\n"
  yield "decimal-mark .\n"
  for (const code of codes) {
    const decimals = decimalsOf(currencies, code)
    yield `commodity ${decimals === 0 ? "1000." : fixedIn(currencies, 1000n * 10n ** BigInt(decimals), code)} "${code}"\n`
  }
  for (const account of accounts) yield `account ${account}  ; type:${typeOf(account)}\n`
  yield "\n"
  if (carried.length > 0) {
    yield `${dayOf(book, book.from)} * opening balances\n`
    for (const { account, currency, units } of carried)
      yield `    ${account}  ${amount(book, debitsOf(account, units), currency)}\n`
    yield "\n"
  }
}

const entry = (book: Book, one: JournalEntry): string => {
  const { legs, postedAt, posting, subject } = one
  return [
    `${dayOf(book, postedAt)} * (${posting}) ${subject.kind ?? "UNKNOWN"}`,
    ...notesOf(one).map(([name, text]) => `    ; ${name}: ${text}`),
    ...legs.map((leg) => `    ${leg.account}  ${amount(book, debitOf(leg), leg.currency)}  ; purpose: ${leg.what}`),
    "",
    ""
  ].join("\n")
}

/** What hledger itself verifies: every balance as the ledger keeps it, against the sum of what it has read. */
const footer = function* (book: Book): Iterable<string> {
  yield `${dayOf(book, book.to)} * closing balances\n`
  for (const { account, currency, units } of book.closing)
    yield `    ${account}  ${amount(book, 0n, currency)} = ${amount(book, debitsOf(account, units), currency)}\n`
  yield "\n"
  yield `; end of postings through ${book.range.through}\n`
}

/** A journal for hledger, with the accounts of the chart under their own names. Debits are positive. */
export const hledger = journalFormat({
  contentType: "text/plain; charset=utf-8",
  extension: "journal",
  posting: /^\d{4}-\d\d-\d\d \* \((\d+)\) [A-Z_]+$/gmu,
  header,
  entry,
  footer
})
