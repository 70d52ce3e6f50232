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

const header = function* (book: Book): Iterable<string> {
  const { currencies, range, tenant } = book
  const { accounts, carried, codes } = declaredIn(book)
  yield `; ${plainText(tenant.slug)} ${tenant.id}, postings after ${range.after} through ${range.through}\n`
  yield "; Foreign texts are percent-encoded.\n"
  yield `option "title" "${plainText(tenant.name)}"\n`
  for (const code of codes) {
    yield `${firstDay} commodity ${toBeancountCommodity(code)}\n`
    yield `  decimals: ${decimalsOf(currencies, code)}\n`
  }
  for (const account of accounts) yield `${firstDay} open ${toBeancountAccount(account)}\n`
  yield "\n"
  if (carried.length > 0) {
    yield `${dayOf(book, book.from)} * "opening balances"\n`
    for (const { account, currency, units } of carried)
      yield `  ${toBeancountAccount(account)}  ${amount(book, debitsOf(account, units), currency)}\n`
    yield "\n"
  }
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

const keyOf = ({ account, currency }: Pick<Balance, "currency"> & { readonly account: string }): string =>
  `${account}|${currency}`

/** An account and those that it is below: `chain:tron:payouts`, `chain:tron` and `chain`. */
const withParents = (account: string): ReadonlyArray<string> => {
  const parts = account.split(":")
  return parts.map((_, at) => parts.slice(0, at + 1).join(":"))
}

/** What each account holds in a currency with those below it, which beancount asserts together. */
const heldBelow = ({ closing }: Book): ReadonlyMap<string, bigint> => {
  const held = new Map<string, bigint>()
  for (const { account, currency, units } of closing)
    for (const one of withParents(account)) {
      const key = keyOf({ account: one, currency })
      held.set(key, (held.get(key) ?? 0n) + debitsOf(account, units))
    }
  return held
}

/** What beancount itself verifies: every balance as the ledger keeps it. It asserts what stands at the beginning of a day. */
const footer = function* (book: Book): Iterable<string> {
  const day = new Date(Date.parse(dayOf(book, book.to)) + dayMs).toISOString().slice(0, 10)
  const held = heldBelow(book)
  for (const balance of book.closing) {
    const { account, currency } = balance
    const units = fixedIn(book.currencies, held.get(keyOf(balance)) ?? 0n, currency)
    yield `${day} balance ${toBeancountAccount(account)}  ${units} ~ 0 ${toBeancountCommodity(currency)}\n`
  }
  yield "\n"
  yield `; end of postings through ${book.range.through}\n`
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
