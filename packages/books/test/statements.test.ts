import { assert, describe, it } from "@effect/vitest"
import { statementVersion } from "@bursar/core/period/ClosedPeriod"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { fixedIn } from "../src/decimal.ts"
import { MonthSums, operatorStatement } from "../src/statement/operatorStatement.ts"
import { pdfLinesMax, statementPdf } from "../src/statement/pdf.ts"
import { ratio } from "../src/statement/ratio.ts"
import { type Statement, statementCsv } from "../src/statement/Statement.ts"
import { tenantStatement } from "../src/statement/tenantStatement.ts"
import { randomBook, type WholeBook } from "./support/randomBook.ts"

const csvOf = <C extends string>(statement: Statement<C, never>): string =>
  Effect.runSync(Stream.mkString(statementCsv(statement)))

const ofTenant = ({ book, entries }: WholeBook, version = statementVersion) =>
  tenantStatement(book, { period: "2026-10", statementVersion: version }, entries)

const rowsOf = (whole: WholeBook) => Effect.runSync(Stream.runCollect(ofTenant(whole).rows))

const digest = "0".repeat(64)

describe("a tenant's statement", () => {
  it("leads by its lines from what was to what is, on every account of the tenant and no other", () =>
    fc.assert(
      fc.property(randomBook, (whole) => {
        const { book } = whole
        const rows = rowsOf(whole)
        const held = new Map<string, string>()
        for (const { cells, section } of rows) {
          if (section === "opening" || section === "line")
            held.set(`${cells.account} ${cells.currency}`, cells.balance ?? "")
        }
        const closing = book.closing.filter(({ account }) => /^(?:float|account):/u.test(account))
        assert.deepStrictEqual(
          new Map(
            closing.map(({ account, currency, units }) => [
              `${account} ${currency}`,
              fixedIn(book.currencies, units, currency)
            ])
          ),
          held
        )
      })
    ))

  it("is the same bytes each time, as CSV and as PDF, whatever partners write", () =>
    fc.assert(
      fc.asyncProperty(randomBook, async (whole) => {
        assert.strictEqual(csvOf(ofTenant(whole)), csvOf(ofTenant(whole)))
        const [one, other] = await Promise.all([
          Effect.runPromise(statementPdf(ofTenant(whole), digest)),
          Effect.runPromise(statementPdf(ofTenant(whole), digest))
        ])
        assert.deepStrictEqual(one, other)
        assert.strictEqual(Buffer.from(one).subarray(0, 5).toString(), "%PDF-")
      }),
      { numRuns: 20 }
    ))

  it("is made again in the layout that it was closed in: its bytes were hashed", () =>
    fc.assert(
      fc.property(randomBook, (whole) => {
        const said = (version: number, reference: string) => {
          const entries = (after: number) =>
            Stream.map(whole.entries(after), (entry) => ({
              ...entry,
              subject: { ...entry.subject, partnerReference: reference }
            }))
          const rows = Effect.runSync(Stream.runCollect(ofTenant({ ...whole, entries }, version).rows))
          return new Set(rows.filter(({ section }) => section === "line").map(({ cells }) => cells.reference))
        }
        fc.pre(said(1, "").size > 0)
        assert.deepStrictEqual(said(1, "x;=1;"), new Set(["x;=1;"]))
        assert.deepStrictEqual(said(2, "x;=1;"), new Set(["x%3B=1%3B"]))
        assert.deepStrictEqual(said(1, " =1"), new Set([" =1"]))
        assert.deepStrictEqual(said(2, " =1"), new Set(["' =1"]))
        for (const version of [1, 2]) assert.deepStrictEqual(said(version, "=1"), new Set(["'=1"]))
      })
    ))

  it("is other bytes where one line is another", () =>
    fc.assert(
      fc.property(randomBook, (whole) => {
        const changed = (after: number) =>
          Stream.map(whole.entries(after), (entry) => ({
            ...entry,
            legs: entry.legs.map((leg) => ({ ...leg, units: leg.units + 1n }))
          }))
        const lines = rowsOf(whole).filter(({ section }) => section === "line")
        fc.pre(lines.length > 0)
        assert.notStrictEqual(csvOf(ofTenant(whole)), csvOf(ofTenant({ ...whole, entries: changed })))
      })
    ))

  it("says what it leaves out as PDF", async () => {
    const row = { section: "line", cells: { posting: "1" } }
    const long: Statement<"posting", never> = {
      title: "Demo",
      period: "2026-10",
      statementVersion,
      columns: ["posting"],
      sections: { line: ["posting"] },
      rows: Stream.take(Stream.forever(Stream.succeed(row)), pdfLinesMax + 7)
    }
    const whole = { ...long, rows: Stream.take(long.rows, pdfLinesMax) }
    const [cut, uncut] = await Promise.all([
      Effect.runPromise(statementPdf(long, digest)),
      Effect.runPromise(statementPdf(whole, digest))
    ])
    assert.isAbove(cut.length, uncut.length)
    assert.isBelow(cut.length, uncut.length + 1_000)
  })
})

describe("rates", () => {
  it("are what was given for one whole unit, exact to twelve decimals", () => {
    assert.strictEqual(
      ratio({ units: 250_000n, decimals: 2 }, { units: 10n ** 18n, decimals: 18 }),
      "2500.000000000000"
    )
    assert.strictEqual(ratio({ units: 1n, decimals: 8 }, { units: 300n, decimals: 2 }), "0.000000003333")
  })
})

describe("the operator's statement", () => {
  it("has totals that come to nothing in every currency, before and after, as double entry has it", () =>
    fc.assert(
      fc.property(randomBook, ({ all, book }) => {
        const sums = new MonthSums()
        for (const entry of all) if (entry.posting > book.range.after) sums.add(entry)
        const month = sums.month({ tenant: book.tenant, csvSha256: digest }, book.opening, book.closing)
        for (const { closing, credits, debits, opening } of month.accounts)
          assert.strictEqual(opening + debits - credits, closing)
        const rows = Effect.runSync(
          Stream.runCollect(
            operatorStatement(Stream.succeed(month), { period: "2026-10", statementVersion }, book.currencies).rows
          )
        )
        const totals = rows.filter(({ section }) => section === "total")
        for (const column of ["opening", "closing"] as const) {
          const by = new Map<string, bigint>()
          for (const { cells } of totals) {
            const { currency = "" } = cells
            by.set(currency, (by.get(currency) ?? 0n) + BigInt((cells[column] ?? "").replace(".", "")))
          }
          assert.isTrue([...by.values()].every((sum) => sum === 0n))
        }
      })
    ))
})
