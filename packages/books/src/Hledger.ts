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

const header = (book: Book): string => {
  const { currencies, range, tenant } = book
  const { accounts, carried, codes } = declaredIn(book)
  return [
    `; ${plainText(tenant.slug)} ${tenant.id}, postings after ${range.after} through ${range.through}`,
    "; Foreign texts are percent-encoded.",
    "decimal-mark .",
    ...codes.map(
      (code) =>
        `commodity ${decimalsOf(currencies, code) === 0 ? "1000." : fixedIn(currencies, 1000n * 10n ** BigInt(decimalsOf(currencies, code)), code)} "${code}"`
    ),
    ...accounts.map((account) => `account ${account}  ; type:${typeOf(account)}`),
    "",
    ...(carried.length > 0
      ? [
          `${dayOf(book, book.from)} * opening balances`,
          ...carried.map(
            ({ account, currency, units }) => `    ${account}  ${amount(book, debitsOf(account, units), currency)}`
          ),
          ""
        ]
      : []),
    ""
  ].join("\n")
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
const footer = (book: Book): string =>
  [
    `${dayOf(book, book.to)} * closing balances`,
    ...book.closing.map(
      ({ account, currency, units }) =>
        `    ${account}  ${amount(book, 0n, currency)} = ${amount(book, debitsOf(account, units), currency)}`
    ),
    "",
    `; end of postings through ${book.range.through}`,
    ""
  ].join("\n")

/** A journal for hledger, with the accounts of the chart under their own names. Debits are positive. */
export const hledger = journalFormat({
  contentType: "text/plain; charset=utf-8",
  extension: "journal",
  posting: /^\d{4}-\d\d-\d\d \* \((\d+)\) [A-Z_]+$/gmu,
  header,
  entry,
  footer
})
