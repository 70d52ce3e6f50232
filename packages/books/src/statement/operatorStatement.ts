import type { Account } from "@bursar/core/ledger/Account"
import type { Balance } from "@bursar/core/ledger/Leg"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { ClosedPeriod } from "@bursar/core/period/ClosedPeriod"
import { Stream } from "effect"
import { debitOf, debitsOf } from "../Book.ts"
import { fixedIn } from "../decimal.ts"
import { type IncomeLine, IncomeSums } from "../income/Income.ts"
import type { JournalEntry } from "@bursar/core/store/Journal"
import type { Statement, StatementRow } from "./Statement.ts"

/** The columns of the operator's statement. Balances, debits and credits are of the chart: what is owed stands below zero. */
export const operatorColumns = [
  "tenant",
  "account",
  "currency",
  "opening",
  "debits",
  "credits",
  "closing",
  "product",
  "fees",
  "network_fees",
  "exchange",
  "sha256"
] as const

type Column = (typeof operatorColumns)[number]
type Row = StatementRow<Column>

const moves = ["account", "currency", "opening", "debits", "credits", "closing"] as const

const sections = {
  statement: ["tenant"],
  tenant: ["tenant", "sha256"],
  account: moves,
  income: ["product", "currency", "fees", "network_fees", "exchange"],
  total: moves
} as const

/** What one account of a tenant did in a month, as debits less credits. */
interface AccountLine {
  readonly account: Account
  readonly currency: string
  readonly opening: bigint
  readonly debits: bigint
  readonly credits: bigint
  readonly closing: bigint
}

/** What a tenant's month comes to. */
export interface TenantMonth {
  readonly tenant: { readonly id: string; readonly slug: string }
  /** The digest of its own statement. */
  readonly csvSha256: string
  readonly accounts: ReadonlyArray<AccountLine>
  readonly income: ReadonlyArray<IncomeLine>
}

/** Sums of a tenant's month, by account and by product. */
export class MonthSums {
  readonly #income = new IncomeSums()
  readonly #moved = new Map<string, { debits: bigint; credits: bigint }>()

  add(entry: JournalEntry): void {
    this.#income.add(entry)
    for (const leg of entry.legs) {
      const key = `${leg.account}|${leg.currency}`
      const moved = this.#moved.get(key) ?? { debits: 0n, credits: 0n }
      const debit = debitOf(leg)
      if (debit > 0n) moved.debits += debit
      else moved.credits -= debit
      this.#moved.set(key, moved)
    }
  }

  /** Every account that there is at the end, with what moved on it. */
  month(
    about: Pick<TenantMonth, "csvSha256" | "tenant">,
    opening: ReadonlyArray<Balance>,
    closing: ReadonlyArray<Balance>
  ): TenantMonth {
    const before = new Map(opening.map(({ account, currency, units }) => [`${account}|${currency}`, units]))
    const accounts = closing.map(({ account, currency, units }): AccountLine => {
      const key = `${account}|${currency}`
      const { credits, debits } = this.#moved.get(key) ?? { debits: 0n, credits: 0n }
      const opened = debitsOf(account, before.get(key) ?? 0n)
      return { account, currency, opening: opened, debits, credits, closing: debitsOf(account, units) }
    })
    return { ...about, accounts, income: this.#income.lines() }
  }
}

const rowsOf = (
  currencies: CurrencyTable,
  { accounts, csvSha256, income, tenant }: TenantMonth
): ReadonlyArray<Row> => {
  const name = `${tenant.slug} ${tenant.id}`
  return [
    { section: "tenant", cells: { tenant: name, sha256: csvSha256 } },
    ...accounts.map(({ account, closing, credits, currency, debits, opening }): Row => {
      const text = (units: bigint) => fixedIn(currencies, units, currency)
      return {
        section: "account",
        cells: {
          tenant: name,
          account,
          currency,
          opening: text(opening),
          debits: text(debits),
          credits: text(credits),
          closing: text(closing)
        }
      }
    }),
    ...income.map(({ currency, exchange, fees, networkFees, product }): Row => {
      const text = (units: bigint) => fixedIn(currencies, units, currency)
      return {
        section: "income",
        cells: {
          tenant: name,
          product,
          currency,
          fees: text(fees),
          network_fees: text(networkFees),
          exchange: text(exchange)
        }
      }
    })
  ]
}

/** Adds to what is known of a key. */
const addTo = <A extends { readonly [name: string]: bigint }>(sums: Map<string, A>, key: string, more: A): void => {
  const before = sums.get(key)
  const added = Object.entries(more).map(([name, units]) => [name, units + (before?.[name] ?? 0n)])
  sums.set(key, Object.fromEntries(added) as A) // the names are those of `more`
}

class Totals {
  readonly #accounts = new Map<string, Pick<AccountLine, "closing" | "credits" | "debits" | "opening">>()

  add({ accounts }: TenantMonth): void {
    for (const { account, closing, credits, currency, debits, opening } of accounts)
      addTo(this.#accounts, `${account.startsWith("account:") ? "account" : account}|${currency}`, {
        opening,
        debits,
        credits,
        closing
      })
  }

  rows(currencies: CurrencyTable): ReadonlyArray<Row> {
    return [...this.#accounts]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, { closing, credits, debits, opening }]): Row => {
        const [account = "", currency = ""] = key.split("|")
        const text = (units: bigint) => fixedIn(currencies, units, currency)
        return {
          section: "total",
          cells: {
            account,
            currency,
            opening: text(opening),
            debits: text(debits),
            credits: text(credits),
            closing: text(closing)
          }
        }
      })
  }
}

/**
 * The operator's statement of a month: of each tenant the digest of its statement, what its accounts held and moved, what it earned and
 * cost the service; then all tenants together, with the accounts of customers as one.
 */
export const operatorStatement = <E>(
  months: Stream.Stream<TenantMonth, E>,
  { period, statementVersion }: Pick<ClosedPeriod, "period" | "statementVersion">,
  currencies: CurrencyTable
): Statement<Column, E> => ({
  title: "The service itself",
  period,
  statementVersion,
  columns: operatorColumns,
  sections,
  rows: Stream.suspend(() => {
    const totals = new Totals()
    const about: Row = { section: "statement", cells: { tenant: period } }
    return Stream.succeed(about).pipe(
      Stream.concat(
        Stream.flatMap(months, (month) => {
          totals.add(month)
          return Stream.fromIterable(rowsOf(currencies, month))
        })
      ),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(totals.rows(currencies))))
    )
  })
})
