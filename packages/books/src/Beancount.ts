import type { Balance } from "@bursar/core/ledger/Leg"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { toBeancountAccount } from "./beancountAccount.ts"
import { toBeancountCommodity } from "./beancountCommodity.ts"
import { type Book, dayOf, debitOf, debitsOf } from "./Book.ts"
import { decimalsOf, fixedIn } from "./decimal.ts"
import { journalFormat } from "./Format.ts"
import { plainText } from "./plainText.ts"
import { declaredIn, notesOf } from "./textLedger.ts"

const dayMs = 86_400_000

/** Accounts and commodities are declared before anything can have been booked. */
const firstDay = "1970-01-01"

const amount = ({ currencies }: Book, units: bigint, code: string): string =>
  `${fixedIn(currencies, units, code)} ${toBeancountCommodity(code)}`

const header = (book: Book): string => {
  const { currencies, range, tenant } = book
  const { accounts, carried, codes } = declaredIn(book)
  return [
    `; ${plainText(tenant.slug)} ${tenant.id}, postings after ${range.after} through ${range.through}`,
    "; Foreign texts are percent-encoded.",
    `option "title" "${plainText(tenant.name)}"`,
    ...codes.flatMap((code) => [
      `${firstDay} commodity ${toBeancountCommodity(code)}`,
      `  decimals: ${decimalsOf(currencies, code)}`
    ]),
    ...accounts.map((account) => `${firstDay} open ${toBeancountAccount(account)}`),
    "",
    ...(carried.length > 0
      ? [
          `${dayOf(book, book.from)} * "opening balances"`,
          ...carried.map(
            ({ account, currency, units }) =>
              `  ${toBeancountAccount(account)}  ${amount(book, debitsOf(account, units), currency)}`
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
    `${dayOf(book, postedAt)} * "${subject.kind ?? "UNKNOWN"}" "posting ${posting}"`,
    ...notesOf(one).map(([name, text]) => `  ${name}: "${text}"`),
    ...legs.flatMap((leg) => [
      `  ${toBeancountAccount(leg.account)}  ${amount(book, debitOf(leg), leg.currency)}`,
      `    purpose: "${leg.what}"`
    ]),
    "",
    ""
  ].join("\n")
}

/** What an account holds in a currency with those below it, which beancount asserts together. */
const heldBelow = ({ closing }: Book, { account, currency }: Balance): bigint =>
  closing
    .filter((one) => one.currency === currency && (one.account === account || one.account.startsWith(`${account}:`)))
    .reduce((sum, one) => sum + debitsOf(one.account, one.units), 0n)

/** What beancount itself verifies: every balance as the ledger keeps it. It asserts what stands at the beginning of a day. */
const footer = (book: Book): string => {
  const day = new Date(Date.parse(dayOf(book, book.to)) + dayMs).toISOString().slice(0, 10)
  return [
    ...book.closing.map((balance) => {
      const held = fixedIn(book.currencies, heldBelow(book, balance), balance.currency)
      return `${day} balance ${toBeancountAccount(balance.account)}  ${held} ~ 0 ${toBeancountCommodity(balance.currency)}`
    }),
    "",
    `; end of postings through ${book.range.through}`,
    ""
  ].join("\n")
}

/** A ledger for beancount 3, with the accounts of the chart and the currencies under names that it takes (`toBeancountAccount`, `toBeancountCommodity`). Debits are positive. */
export const beancount = journalFormat({
  contentType: "text/plain; charset=utf-8",
  extension: "beancount",
  posting: /^\d{4}-\d\d-\d\d \* "[A-Z_]+" "posting (\d+)"$/gmu,
  header,
  entry,
  footer
})
