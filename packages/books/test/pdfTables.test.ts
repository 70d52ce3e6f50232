import { statementVersion } from "@bursar/core/period/ClosedPeriod"
import { assert, describe, it } from "@effect/vitest"
import { Blocks, pdfLinesMax, tablesOf } from "../src/statement/pdfTables.ts"

const sections = {
  statement: ["reference"],
  opening: ["account", "balance"],
  line: ["posting", "currency", "debit", "balance", "reference"],
  rate: ["currency", "rate"],
  closing: ["account", "balance"]
} as const

type Column = "account" | "balance" | "currency" | "debit" | "posting" | "rate" | "reference"

type Row = Parameters<Blocks<Column>["add"]>[0]

const blocksIn = (version: number, rows: ReadonlyArray<Row>) => {
  const blocks = new Blocks<Column>({ sections, statementVersion: version }, (text) => text)
  for (const row of rows) blocks.add(row)
  return blocks
}

const blocksOf = (...rows: ReadonlyArray<Row>) => blocksIn(statementVersion, rows)

const linesOf = (blocks: Blocks<Column>, section: string): ReadonlyArray<string> => {
  const table = tablesOf(sections, blocks.all).get(section)
  const rows = blocks.all.filter((one) => one.section === section).flatMap((one) => one.rows)
  return [table?.heading ?? "", ...rows.map((row) => table?.line(row) ?? "")]
}

const line = (posting: string, currency: string, debit: string, balance: string, reference = "r") => ({
  section: "line",
  cells: { posting, currency, debit, balance, reference }
})

describe("the tables of a statement as PDF", () => {
  it("have amounts of any length below each other, under their heading, and cut none", () => {
    const rows = linesOf(
      blocksOf(
        line("1", "EUR", "1.00", "5.00"),
        line("12", "USDC_BSC", "", "123456789.123456789012345678"),
        line("13", "ETH", "100000000000.000000000000000001", "-0.5")
      ),
      "line"
    )
    assert.deepStrictEqual(rows, [
      "posting  currency                            debit                       balance  reference",
      "1        EUR                                  1.00                          5.00  r",
      "12       USDC_BSC                                   123456789.123456789012345678  r",
      "13       ETH       100000000000.000000000000000001                          -0.5  r"
    ])
  })

  it("keep entries together, and the rates that stand among them", () => {
    const rate = { section: "rate", cells: { currency: "ETH", rate: "2500" } }
    const { all } = blocksOf(
      { section: "statement", cells: { reference: "demo" } },
      { section: "opening", cells: { account: "float:available", balance: "1" } },
      line("1", "EUR", "1", "2"),
      rate,
      line("2", "EUR", "1", "3"),
      rate,
      { section: "closing", cells: { account: "float:available", balance: "3" } }
    )
    assert.deepStrictEqual(
      all.map(({ rows, section }) => [section, rows.length]),
      [
        ["opening", 1],
        ["line", 2],
        ["rate", 2],
        ["closing", 1]
      ]
    )
  })

  it("are as wide as the page whatever a partner writes", () => {
    const [, row = ""] = linesOf(blocksOf(line("1", "EUR", "1", "2", "x".repeat(500))), "line")
    assert.match(row, /x{37}\.\.\.$/u)
  })

  it("leave out entries beyond what is shown, and count them", () => {
    const blocks = blocksOf(...Array.from({ length: pdfLinesMax + 7 }, (_, at) => line(`${at}`, "EUR", "1", "2")))
    assert.strictEqual(blocks.leftOut, 7)
    assert.lengthOf(linesOf(blocks, "line"), pdfLinesMax + 1)
  })

  it("leave out balances beyond as many too, but not in the layouts before, whose bytes were hashed", () => {
    const balances = Array.from({ length: pdfLinesMax + 7 }, (_, at) => ({
      section: "opening",
      cells: { account: `account:${at}`, balance: "1" }
    }))
    const rows = [...balances, line("1", "EUR", "1", "2"), ...balances.map((row) => ({ ...row, section: "closing" }))]
    const [before, now] = [blocksIn(3, rows), blocksIn(4, rows)]
    assert.deepStrictEqual(
      before.all.map((one) => one.rows.length),
      [pdfLinesMax + 7, 1, pdfLinesMax + 7]
    )
    assert.deepStrictEqual(
      now.all.map((one) => one.rows.length),
      [pdfLinesMax, 1, pdfLinesMax]
    )
    assert.deepStrictEqual([before.leftOut, now.leftOut], [0, 14])
  })
})
