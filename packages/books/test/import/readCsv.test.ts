import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { assert, describe, it } from "@effect/vitest"
import type { CsvMapping } from "../../src/import/CsvMapping.ts"
import { ImportError } from "../../src/import/ImportedStatement.ts"
import { readCsv } from "../../src/import/readCsv.ts"

const period = { id: "S", from: Date.UTC(2026, 10, 1), to: Date.UTC(2026, 11, 1) }

const simple: CsvMapping = {
  columns: { at: "Date", amount: "Amount", currency: "Currency", id: "Id", references: ["Ref"], text: ["Text"] }
}

const sides: CsvMapping = { columns: { at: "Date", credit: "In", debit: "Out", id: "Id" }, currency: "EUR" }

const twoColumns = "Date,In,Out,Id\n"

const header = "Date,Amount,Currency,Id,Ref,Text\n"

const read = (text: string, mapping = simple, statement = period) => readCsv(text, mapping, currencies, statement)

const refused = (text: string, mapping = simple): string => {
  try {
    read(text, mapping)
  } catch (error) {
    if (error instanceof ImportError) return error.message
    throw error
  }
  return assert.fail("it was read")
}

describe("a statement as CSV", () => {
  it("is read by a mapping of its columns", () => {
    const text = `\uFEFF${header}2026-11-23T01:02:03Z,-40.50,EUR,1,op-1,"rent, ""May"""\r\n2026-11-24,1,XBT,2,,\r\n\r\n`
    assert.deepStrictEqual(read(text, { ...simple, currencies: { XBT: "BTC" } }), {
      ...period,
      account: null,
      currencies: ["EUR", "BTC"],
      pending: 0,
      lines: [
        {
          id: "1",
          at: Date.UTC(2026, 10, 23, 1, 2, 3),
          currency: "EUR",
          units: -4_050n,
          references: ["op-1"],
          text: 'rent, "May"'
        },
        { id: "2", at: Date.UTC(2026, 10, 24), currency: "BTC", units: 100_000_000n, references: [], text: "" }
      ]
    })
  })

  it("has its own delimiter, decimals, dates, directions and fees", () => {
    const mapping: CsvMapping = {
      columns: { at: "Tag", credit: "Haben", debit: "Soll", fee: "Gebühr" },
      currency: "EUR",
      delimiter: ";",
      decimal: ",",
      date: "DD.MM.YYYY HH:mm",
      offset: "+01:00",
      skip: { Status: ["offen"] }
    }
    const text = `Tag;Haben;Soll;Gebühr;Status
1.11.2026 12:30;1.234,56;;0,56;gebucht
02.11.2026 00:00;0,00;10;;gebucht
03.11.2026 00:00;99;;;offen
`
    const { lines } = read(text, mapping)
    assert.deepStrictEqual(
      lines.map(({ at, units }) => [at, units]),
      [
        [Date.UTC(2026, 10, 1, 11, 30), 123_400n],
        [Date.UTC(2026, 10, 1, 23), -1_000n]
      ]
    )
  })

  it("names rows that have no id by what stands in them: the same file gives the same lines, and twice the same row two", () => {
    const mapping: CsvMapping = { columns: { at: "Date", amount: "Amount" }, currency: "EUR" }
    const text = "Date,Amount\n2026-11-02,1\n2026-11-02,1\n2026-11-02,2\n"
    const ids = read(text, mapping).lines.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, 3)
    assert.deepStrictEqual(
      read(text, mapping).lines.map(({ id }) => id),
      ids
    )
    // however the rows are in order
    const others = read("Date,Amount\n2026-11-02,2\n2026-11-02,1\n2026-11-02,1\n", mapping).lines.map(({ id }) => id)
    assert.sameMembers(others, ids)
  })
})

describe("a CSV file of a period without movements", () => {
  const nothing = { ...period, account: null, currencies: ["EUR"], lines: [], pending: 0 }

  it("is a statement without lines, of the currency that its mapping names", () => {
    const all: ReadonlyArray<readonly [string, CsvMapping]> = [
      [twoColumns, sides],
      [twoColumns, { ...sides, currency: "ZEUR", currencies: { ZEUR: "EUR" } }],
      [`${twoColumns}2026-11-23,0,0,1\n`, sides],
      [`${twoColumns}2026-11-23,1,,pending\n`, { ...sides, skip: { Id: ["pending"] } }]
    ]
    for (const [text, mapping] of all) assert.deepStrictEqual(read(text, mapping), nothing)
  })
})

describe("a CSV file that cannot be read for certain is refused, with the row", () => {
  const row = "2026-11-23,1,EUR,1,,\n"
  const cases: Readonly<Record<string, readonly [string, RegExp, CsvMapping?]>> = {
    "nothing at all": ["", /no row with the names of its columns/u],
    "no rows, whose currency nothing says": [header, /no row that is booked, so nothing says its currency/u],
    "no rows, and without a column": ["Date,In,Id\n", /no column Out/u, sides],
    "no rows, of a currency that the service does not know": [
      twoColumns,
      /^the service knows no currency XAU/u,
      { ...sides, currency: "XAU" }
    ],
    "a column that is missing": [`Date,Amount\n2026-11-23,1\n`, /no column Currency/u],
    "a column that stands twice": [`Date,Amount,Amount,Currency,Id,Ref,Text\n`, /Amount stands in it twice/u],
    "a row that is too short": [`${header}2026-11-23,1\n`, /no CSV/u],
    "a quote that is never closed": [`${header}2026-11-23,1,EUR,1,,"x\n`, /no CSV/u],
    "an id that stands twice": [header + row + row, /row 3: the id 1 stands twice/u],
    "no id": [`${header}2026-11-23,1,EUR,,,\n`, /row 2: it has no id/u],
    "no amount": [`${header}2026-11-23,,EUR,1,,\n`, /row 2: it has no amount/u],
    "an amount that is none": [`${header}2026-11-23,1.2.3,EUR,1,,\n`, /row 2: 1\.2\.3 is no amount of EUR/u],
    "half a cent": [`${header}2026-11-23,1.005,EUR,1,,\n`, /no amount of EUR/u],
    "a formula": [`${header}2026-11-23,=1+1,EUR,1,,\n`, /no amount of EUR/u],
    "a point where a comma stands before decimals": [
      `${header}2026-11-23,1.5,EUR,1,,\n`,
      /1\.5 is no amount/u,
      { ...simple, decimal: "," }
    ],
    "a decimal comma where a point stands before decimals": [
      `${header}2026-11-23,"0,123",EUR,1,,\n`,
      /row 2: 0,123 is no amount of EUR/u
    ],
    "a decimal point with zeros before it, where a comma stands there": [
      `${header}2026-11-23,-00.125,EUR,1,,\n`,
      /row 2: -00\.125 is no amount of EUR/u,
      { ...simple, decimal: "," }
    ],
    "a currency that the service does not know": [
      `${header}2026-11-23,1,XAU,1,,\n`,
      /row 2: the service knows no currency XAU/u
    ],
    "a day that is not in the calendar": [`${header}2026-11-31,1,EUR,1,,\n`, /row 2: 2026-11-31 is no date/u],
    "a date of another form": [`${header}23.11.2026,1,EUR,1,,\n`, /is no date of the form iso/u],
    "a row outside the period": [`${header}2026-12-01,1,EUR,1,,\n`, /row 2: .* outside the statement's period/u],
    "nothing that is booked": [`${header}2026-11-23,0,EUR,1,,\n`, /no row that is booked/u],
    "neither a credit nor a debit": [
      `${twoColumns}2026-11-23,1.00,,1\n2026-11-24,,,2\n`,
      /row 3: it has no amount/u,
      sides
    ],
    "a credit and a debit": [
      `${twoColumns}2026-11-23,5.00,5.00,1\n2026-11-24,1.00,,2\n`,
      /row 2: it has two amounts/u,
      sides
    ],
    "a credit that takes": [`${twoColumns}2026-11-23,-5.00,,1\n`, /row 2: -5\.00 is no credit/u, sides],
    "debits of both signs": [
      `${twoColumns}2026-11-23,,5.00,1\n2026-11-24,,-5.00,2\n`,
      /row 3: -5\.00 has another sign than Out/u,
      sides
    ],
    "fees of both signs": [
      `${header}2026-11-23,5,EUR,1,-1,\n2026-11-24,5,EUR,2,1,\n`,
      /row 3: 1 has another sign than Ref/u,
      { ...simple, columns: { ...simple.columns, fee: "Ref" } }
    ],
    "a mapping without an amount": [
      header + row,
      /an amount, or a credit and a debit/u,
      { columns: { at: "Date", currency: "Currency" } }
    ],
    "a mapping with half an amount": [
      header + row,
      /a credit and a debit/u,
      { columns: { at: "Date", credit: "Amount", currency: "Currency" } }
    ],
    "a mapping without a currency": [header + row, /the currency/u, { columns: { at: "Date", amount: "Amount" } }],
    "a mapping with a date of no form": [header + row, /no form of a date/u, { ...simple, date: "MM/DD" }]
  }
  for (const [what, [text, reason, mapping]] of Object.entries(cases))
    it(`as with ${what}`, () => assert.match(refused(text, mapping), reason))
})
