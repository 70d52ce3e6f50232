import { toIso } from "@bursar/core/base/Timestamp"
import { isOwed } from "@bursar/core/ledger/Account"
import type { Balance } from "@bursar/core/ledger/Leg"
import type { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { Stream } from "effect"
import { type Book, type BookEntries, dayOf } from "../Book.ts"
import { foreign, foreignInVersion1 } from "../csvRow.ts"
import { decimalsOf, fixedIn } from "../decimal.ts"
import { IncomeSums } from "../income/Income.ts"
import { chargedLegs } from "./chargedLegs.ts"
import { ratio } from "./ratio.ts"
import type { Statement, StatementRow } from "./Statement.ts"

/** The columns of a tenant's statement. */
export const tenantColumns = [
  "posting",
  "date",
  "time",
  "operation",
  "kind",
  "purpose",
  "account",
  "currency",
  "debit",
  "credit",
  "balance",
  "rate",
  "reference"
] as const

type Column = (typeof tenantColumns)[number]
type Row = StatementRow<Column>

const held = ["date", "account", "currency", "balance"] as const

const sections = {
  statement: ["date", "reference"],
  opening: held,
  line: [
    "posting",
    "time",
    "operation",
    "kind",
    "purpose",
    "account",
    "currency",
    "debit",
    "credit",
    "balance",
    "reference"
  ],
  rate: ["posting", "operation", "kind", "currency", "debit", "credit", "rate", "reference"],
  closing: held,
  fees: ["kind", "currency", "balance"]
} as const

const balanceRow =
  (section: "opening" | "closing", book: Book) =>
  ({ account, currency, units }: Balance): Row => ({
    section,
    cells: {
      posting: `${section === "opening" ? book.range.after : book.range.through}`,
      date: dayOf(book, section === "opening" ? book.from : book.to),
      account,
      currency,
      balance: fixedIn(book.currencies, units, currency)
    }
  })

const lineRows = (
  book: Book,
  statementVersion: number,
  { legs, postedAt, posting, subject }: JournalEntry
): ReadonlyArray<Row> => {
  const reference = (statementVersion === 1 ? foreignInVersion1 : foreign)(subject.partnerReference ?? "")
  return legs
    .filter(({ account }) => isOwed(account))
    .map(({ account, balance, currency, direction, units, what }) => ({
      section: "line",
      cells: {
        posting: `${posting}`,
        date: dayOf(book, postedAt),
        time: toIso(postedAt),
        operation: subject.id,
        kind: subject.kind ?? "UNKNOWN",
        purpose: what,
        account,
        currency,
        [direction === "DEBIT" ? "debit" : "credit"]: fixedIn(book.currencies, units, currency),
        balance: fixedIn(book.currencies, balance, currency),
        reference
      }
    }))
}

/** The rate of a conversion: what the tenant was given for one whole unit of what it gave. */
const rateRows = (book: Book, { legs, posting, subject }: JournalEntry): ReadonlyArray<Row> => {
  const given = legs.find(({ account, what }) => account === "exchange" && what === "convert_out")
  const got = legs.find(({ account, what }) => isOwed(account) && what === "convert_in")
  if (given === undefined || got === undefined) return []
  const { currencies } = book
  const rate = ratio(
    { units: got.units, decimals: decimalsOf(currencies, got.currency) },
    { units: given.units, decimals: decimalsOf(currencies, given.currency) }
  )
  return [
    {
      section: "rate",
      cells: {
        posting: `${posting}`,
        operation: subject.id,
        kind: subject.kind ?? "UNKNOWN",
        currency: given.currency,
        debit: fixedIn(currencies, given.units, given.currency),
        credit: fixedIn(currencies, got.units, got.currency),
        rate,
        reference: `${got.currency} for one ${given.currency}`
      }
    }
  ]
}

const feeRows = (book: Book, sums: IncomeSums): ReadonlyArray<Row> =>
  sums
    .lines()
    .filter(({ fees }) => fees !== 0n)
    .map(({ currency, fees, product }) => ({
      section: "fees",
      cells: { kind: product, currency, balance: fixedIn(book.currencies, fees, currency) }
    }))

const owed = (balances: ReadonlyArray<Balance>): ReadonlyArray<Balance> =>
  balances.filter(({ account }) => isOwed(account))

/**
 * A tenant's statement of a month: what it had, every line of its float and of its customers' accounts, the rates of conversions, what
 * it has, and the fees that it was charged. It tells nothing that changes later, so it can be made again in the layout that it was
 * closed in, and is the same.
 */
export const tenantStatement = <E>(
  book: Book,
  { period, statementVersion }: Pick<ClosedPeriod, "period" | "statementVersion">,
  entries: BookEntries<E>
): Statement<Column, E> => ({
  title: `${book.tenant.name} (${book.tenant.slug}, ${book.tenant.id})`,
  period,
  statementVersion,
  columns: tenantColumns,
  sections,
  rows: Stream.suspend(() => {
    const sums = new IncomeSums()
    const about: Row = {
      section: "statement",
      cells: { date: period, reference: `${book.tenant.slug} ${book.tenant.id}` }
    }
    return Stream.fromIterable([about, ...owed(book.opening).map(balanceRow("opening", book))]).pipe(
      Stream.concat(
        Stream.flatMap(entries(book.range.after), (entry) => {
          sums.add(statementVersion < 3 ? entry : { ...entry, legs: chargedLegs(entry.legs) })
          return Stream.fromIterable([...lineRows(book, statementVersion, entry), ...rateRows(book, entry)])
        })
      ),
      Stream.concat(
        Stream.suspend(() =>
          Stream.fromIterable([...owed(book.closing).map(balanceRow("closing", book)), ...feeRows(book, sums)])
        )
      )
    )
  })
})
