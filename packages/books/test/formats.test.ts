import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { fromBeancountAccount, toBeancountAccount } from "../src/beancountAccount.ts"
import { beancount } from "../src/Beancount.ts"
import { fromBeancountCommodity, toBeancountCommodity } from "../src/beancountCommodity.ts"
import { csvColumns } from "../src/Csv.ts"
import { fixedIn } from "../src/decimal.ts"
import { csvRow, foreign } from "../src/csvRow.ts"
import type { Format } from "../src/Format.ts"
import { formats } from "../src/formats.ts"
import { incomeAccounts, IncomeSums } from "../src/income/Income.ts"
import { oneLine, plainText } from "../src/plainText.ts"
import { resumePoint } from "../src/resume.ts"
import { hostileText, randomBook, type WholeBook } from "./support/randomBook.ts"

const written = (format: Format, { book, entries }: WholeBook, after?: number): string =>
  Effect.runSync(Stream.mkString(format.write(book, entries, after)))

const postingsAfter = ({ all, book }: WholeBook) => all.filter(({ posting }) => posting > book.range.after)

/** What Python's `splitlines` and others take for the end of a line. */
const lineEnds = new RegExp(
  `[${["\n", "\r", "\v", "\f", "\u001c", "\u001d", "\u001e", "\u0085", "\u2028", "\u2029"].join("")}]`,
  "u"
)

/** Reads CSV as RFC 4180 has it. */
const cellsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\r\n")
    .slice(0, -1)
    .map((row) =>
      [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/gu)].map(([, quoted, bare]) =>
        quoted === undefined ? (bare ?? "") : quoted.replaceAll('""', '"')
      )
    )

describe("foreign texts", () => {
  it("stay one word that gives the text back", () =>
    fc.assert(
      fc.property(hostileText, (text) => {
        const plain = plainText(text)
        assert.match(plain, /^[\p{L}\p{M}\p{N} ._/#@+%-]*$/u)
        assert.strictEqual(decodeURIComponent(plain), text.toWellFormed())
        assert.strictEqual(decodeURIComponent(oneLine(text)), text.toWellFormed())
      })
    ))

  it("are never a formula in a spreadsheet", () =>
    fc.assert(fc.property(hostileText, (text) => assert.notMatch(foreign(text), /^[=+\-@\t\r\n]/u))))

  const likely = fc.oneof(
    hostileText,
    fc
      .array(fc.constantFrom(..."=+-@';, \u00a0\t\n\"%1A\uff1d\uff0b\uff0d\uff20\ufe63\uff1b\ufeff"), { maxLength: 8 })
      .map((all) => all.join(""))
  )

  it("begin no formula either where a semicolon separates cells, where they are wide, or after spaces", () =>
    fc.assert(
      fc.property(likely, (text) => {
        for (const cell of [foreign(text), ...csvRow(["1", foreign(text), "1"]).split(";")])
          assert.notMatch(cell.normalize("NFKC").trimStart(), /^[=+\-@]/u)
      })
    ))

  it("in a cell give the text back: without the apostrophe in front, and decoded", () =>
    fc.assert(
      fc.property(likely, (text) => {
        const [[, cell = ""] = []] = cellsOf(csvRow(["1", foreign(text), "1"]))
        assert.strictEqual(decodeURIComponent(cell.replace(/^'/u, "")), text.toWellFormed())
      })
    ))
})

describe("accounts in beancount", () => {
  const part = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,20}$/u)

  it("are named so that the chart's own names come back", () => {
    fc.assert(
      fc.property(part, part, part, (one, two, three) => {
        const name = toBeancountAccount(`account:${one}:${two}-${three}`)
        assert.match(name, /^Liabilities(?::[A-Z0-9][A-Za-z0-9-]*)+$/u)
        assert.strictEqual(fromBeancountAccount(name), `account:${one}:${two}-${three}`)
      })
    )
    assert.strictEqual(toBeancountAccount("float:available"), "Liabilities:Float:Available")
    assert.strictEqual(toBeancountAccount("network_fees"), "Expenses:NetworkFees")
    assert.strictEqual(toBeancountAccount("chain:tron:payouts"), "Assets:Chain:Tron:Payouts")
  })
})

describe("currencies in beancount", () => {
  /** A name of a currency as beancount's grammar has it. */
  const name = /^(?!(?:TRUE|FALSE|NULL)$)[A-Z](?:[A-Z0-9'._-]*[A-Z0-9])?$/u

  it("are named so that it takes every code that may be configured, and the codes come back", () => {
    const code = fc.oneof(
      fc.stringMatching(/^[A-Z][A-Z0-9_]{1,31}$/u),
      fc.stringMatching(/^[A-Z][A-Z0-9]{0,3}_{1,4}$/u),
      fc.constantFrom("TRUE", "FALSE", "NULL", "TRUE_", "NULLS", "USDT_TRON")
    )
    fc.assert(
      fc.property(code, (one) => {
        assert.match(toBeancountCommodity(one), name)
        assert.strictEqual(fromBeancountCommodity(toBeancountCommodity(one)), one)
      })
    )
    assert.strictEqual(toBeancountCommodity("USDT_TRON"), "USDT_TRON")
    assert.strictEqual(toBeancountCommodity("FOO_"), "FOO-X5F")
  })

  it("have these names wherever they stand in a book", () =>
    fc.assert(
      fc.property(randomBook, (whole) => {
        const text = written(beancount, whole)
        const named = [...text.matchAll(/^\S+ commodity (\S+)$|^ {2}[A-Z]\S* {2}\S+ (\S+)$|~ 0 (\S+)$/gmu)]
        assert.isAbove(named.length, 0)
        for (const [, declared, booked, held] of named) assert.match(declared ?? booked ?? held ?? "", name)
      })
    ))
})

/** A line of an account as somebody has read it. */
interface SummedRow {
  readonly product: string
  readonly account: string
  readonly currency: string
  readonly amount: string
  readonly debit: boolean
}

interface JsonPosting {
  readonly product: string
  readonly legs: ReadonlyArray<Omit<SummedRow, "debit" | "product"> & { readonly direction: string }>
}

describe.each(["hledger", "beancount", "csv", "jsonl"] as const)("%s", (name) => {
  const format = formats[name]

  it("has exactly the postings of the range, whatever partners write", () =>
    fc.assert(
      fc.property(randomBook, (whole) => {
        const shown = [...written(format, whole).matchAll(format.posting ?? /$^/gu)].map(([, number]) => Number(number))
        assert.deepStrictEqual(
          [...new Set(shown)],
          postingsAfter(whole).map(({ posting }) => posting)
        )
      })
    ))

  it("that is cut off anywhere goes on to the very same text", () =>
    fc.assert(
      fc.property(randomBook, fc.nat(), (whole, place) => {
        const text = Buffer.from(written(format, whole)).toString("latin1")
        const cut = text.slice(0, place % (text.length + 1))
        const point = resumePoint(format, cut)
        const rest = Buffer.from(written(format, whole, point?.after)).toString("latin1")
        assert.strictEqual(point === undefined ? rest : cut.slice(0, point.kept) + rest, text)
      })
    ))
})

/** What a book's postings earned and cost, a line for each product, currency and account, debits positive. */
const incomeOf = (whole: WholeBook): ReadonlyArray<string> => {
  const sums = new IncomeSums()
  for (const one of postingsAfter(whole)) sums.add(one)
  return sums
    .lines()
    .flatMap(({ currency, exchange, fees, networkFees, product }) =>
      Object.entries({ fees: -fees, network_fees: networkFees, exchange })
        .filter(([, units]) => units !== 0n)
        .map(
          ([account, units]) => `${product} ${account} ${fixedIn(whole.book.currencies, units, currency)} ${currency}`
        )
    )
    .toSorted()
}

/** The same from rows that somebody has read. */
const summed = ({ book }: WholeBook, rows: Iterable<SummedRow>): ReadonlyArray<string> => {
  const sums = new Map<string, { readonly currency: string; readonly units: bigint }>()
  for (const { account, amount, currency, debit, product } of rows) {
    if (!incomeAccounts.some((one) => one === account)) continue
    const key = `${product} ${account} ${currency}`
    const units = BigInt(amount.replace(".", ""))
    sums.set(key, { currency, units: (sums.get(key)?.units ?? 0n) + (debit ? units : -units) })
  }
  return [...sums]
    .filter(([, { units }]) => units !== 0n)
    .map(([key, { currency, units }]) => {
      const [product, account] = key.split(" ")
      return `${product} ${account} ${fixedIn(book.currencies, units, currency)} ${currency}`
    })
    .toSorted()
}

describe("costs and income", () => {
  it("by product are the same from the rows of CSV and of JSON lines as in the report", () =>
    fc.assert(
      fc.property(randomBook, (whole) => {
        const [columns = [], ...rows] = cellsOf(written(formats.csv, whole))
        const ofCsv = rows.flatMap((cells) => {
          const cell = (name: (typeof csvColumns)[number]) => cells[columns.indexOf(name)] ?? ""
          const [debit, credit] = [cell("debit"), cell("credit")]
          if (debit === "" && credit === "") return []
          const [account, currency, product] = [cell("account"), cell("currency"), cell("product")]
          return [{ account, currency, product, debit: debit !== "", amount: debit || credit }]
        })
        assert.deepStrictEqual(summed(whole, ofCsv), incomeOf(whole))
        const lines = written(formats.jsonl, whole).split(lineEnds).slice(1, -2)
        const ofLines = lines.flatMap((line) => {
          const { legs, product } = JSON.parse(line) as JsonPosting // as the format writes it
          return legs.map(({ direction, ...leg }) => ({ ...leg, product, debit: direction === "DEBIT" }))
        })
        assert.deepStrictEqual(summed(whole, ofLines), incomeOf(whole))
      })
    ))
})

describe("rows", () => {
  it("of CSV are one a leg, each with every column", () =>
    fc.assert(
      fc.property(randomBook, (whole) => {
        const rows = cellsOf(written(formats.csv, whole))
        assert.isTrue(rows.every((row) => row.length === csvColumns.length))
        const legs = postingsAfter(whole).flatMap((entry) => entry.legs)
        const { closing, opening } = whole.book
        assert.strictEqual(rows.length, 1 + opening.length + legs.length + closing.length)
      })
    ))

  it("of JSON lines are objects, a line to anybody who splits lines", () =>
    fc.assert(
      fc.property(randomBook, (whole) => {
        const text = written(formats.jsonl, whole)
        const lines = text.split(lineEnds).slice(0, -1)
        const parsed = lines.map((line): unknown => JSON.parse(line))
        assert.strictEqual(parsed.length, postingsAfter(whole).length + 2)
      })
    ))
})
