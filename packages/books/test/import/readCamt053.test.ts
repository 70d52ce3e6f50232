import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { camt053 } from "../../src/Camt053.ts"
import { ImportError } from "../../src/import/ImportedStatement.ts"
import { readCamt053 } from "../../src/import/readCamt053.ts"
import { statementRequests } from "../../src/import/statementRequests.ts"
import { randomBook } from "../support/randomBook.ts"

const balance = (code: string, amount: string, direction = "CRDT", date = "<Dt>2026-11-23</Dt>", sub = "") =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry>${sub}</Tp><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd><Dt>${date}</Dt></Bal>`

const entry = (
  amount: string,
  direction: string,
  more = "<AcctSvcrRef>A1</AcctSvcrRef>",
  status = "<Sts><Cd>BOOK</Cd></Sts>"
) =>
  `<Ntry><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd>${status}<BookgDt><Dt>2026-11-23</Dt></BookgDt>${more}</Ntry>`

const statement = (inside: string, { account = "<Acct><Ccy>EUR</Ccy></Acct>", id = "S1" } = {}) =>
  `<Stmt><Id>${id}</Id><FrToDt><FrDtTm>2026-11-23T00:00:00Z</FrDtTm><ToDtTm>2026-11-23T23:59:59Z</ToDtTm></FrToDt>${account}${inside}</Stmt>`

const document = (inside: string, { head = "", version = "08", pages = "" } = {}) =>
  `<?xml version="1.0" encoding="UTF-8"?>${head}<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.${version}"><BkToCstmrStmt><GrpHdr><MsgId>M</MsgId>${pages}</GrpHdr>${inside}</BkToCstmrStmt></Document>`

const read = (text: string) => readCamt053(text, currencies)

const refused = (text: string): string => {
  try {
    read(text)
  } catch (error) {
    if (error instanceof ImportError) return error.message
    throw error
  }
  return assert.fail("it was read")
}

const page = (number: number | string, isLast: boolean) =>
  `<StmtPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></StmtPgntn>`

/** A message that says which page it is: before version 04 no statement has pages of its own. */
const messagePage = (number: number | string, isLast: boolean, inside: string, version = "02") =>
  document(inside, {
    version,
    pages: `<MsgPgntn><PgNb>${number}</PgNb><LastPgInd>${isLast}</LastPgInd></MsgPgntn>`
  })

const intermediate = (code: string, amount: string) =>
  balance(code, amount, "CRDT", undefined, "<SubTp><Cd>INTM</Cd></SubTp>")

describe("a bank's statement", () => {
  it("is read with its period, its lines and what they name", () => {
    const details =
      "<AcctSvcrRef>A1</AcctSvcrRef><NtryDtls><TxDtls><Refs><EndToEndId>E1</EndToEndId><TxId>T1</TxId><InstrId>NOTPROVIDED</InstrId></Refs><RmtInf><Ustrd>rent\n  of May</Ustrd><Ustrd>&amp; June</Ustrd></RmtInf></TxDtls></NtryDtls>"
    const [one, ...others] = read(
      document(
        statement(
          balance("OPBD", "100.00") +
            entry("40.5", "DBIT", details) +
            entry("1", "CRDT", "", "<Sts>BOOK</Sts>") +
            balance("CLBD", "60.50")
        )
      )
    )
    assert.deepStrictEqual(others, [])
    const at = Date.UTC(2026, 10, 23)
    assert.deepStrictEqual(one, {
      id: "S1",
      account: null,
      currencies: ["EUR"],
      from: at,
      to: Date.UTC(2026, 10, 24),
      pending: 0,
      lines: [
        { id: "A1", at, currency: "EUR", units: -4_050n, references: ["E1", "T1", "A1"], text: "rent of May · & June" },
        { id: "S1/2", at, currency: "EUR", units: 100n, references: [], text: "" }
      ]
    })
  })

  it("has a line for each transaction of a batch whose amounts come to the entry's, and one where they do not", () => {
    const part = (amount: string, id: string) =>
      `<TxDtls><Refs><EndToEndId>${id}</EndToEndId></Refs><Amt Ccy="EUR">${amount}</Amt></TxDtls>`
    const batch = (second: string) =>
      entry("10", "DBIT", `<NtryRef>N</NtryRef><NtryDtls>${part("4", "one")}${part(second, "two")}</NtryDtls>`)
    const shown = (text: string) =>
      read(document(statement(text)))[0]?.lines.map(({ id, references, units }) => [id, units, references])
    assert.deepStrictEqual(shown(batch("6")), [
      ["N/1", -400n, ["one", "N"]],
      ["N/2", -600n, ["two", "N"]]
    ])
    assert.deepStrictEqual(shown(batch("5")), [["N", -1_000n, ["one", "two", "N"]]])
  })

  it("has a line for each transaction of a batch of many thousands", () => {
    const count = 6_000
    const details = Array.from(
      { length: count },
      (_, n) =>
        `<TxDtls><Refs><EndToEndId>E${n}</EndToEndId><TxId>T${n}</TxId></Refs><Amt Ccy="EUR">1</Amt><RltdPties><Dbtr><Pty><Nm>A</Nm></Pty></Dbtr></RltdPties></TxDtls>`
    ).join("")
    const batch = entry(String(count), "CRDT", `<NtryRef>N</NtryRef><NtryDtls>${details}</NtryDtls>`)
    const [one] = read(document(statement(batch + entry("2", "CRDT"))))
    assert.lengthOf(one?.lines ?? [], count + 1)
    assert.deepStrictEqual(one?.lines[count - 1]?.references, [`E${count - 1}`, `T${count - 1}`, "N"])
    assert.deepStrictEqual(one?.lines[count]?.references, ["A1"], "it has none of the entry before")
  })

  it("has one line for a batch whose transactions are told in another currency", () => {
    const details = '<TxDtls><AmtDtls><TxAmt><Amt Ccy="USD">60</Amt></TxAmt></AmtDtls></TxDtls>'.repeat(2)
    const [one] = read(
      document(statement(entry("100", "CRDT", `<AcctSvcrRef>A1</AcctSvcrRef><NtryDtls>${details}</NtryDtls>`)))
    )
    assert.deepStrictEqual(
      one?.lines.map(({ id, units }) => [id, units]),
      [["A1", 10_000n]]
    )
  })

  it("says of what entry a part is, which the bank may tell as one line elsewhere", () => {
    const details = `<NtryDtls>${'<TxDtls><Amt Ccy="EUR">5</Amt></TxDtls>'.repeat(2)}</NtryDtls>`
    const whole = (more: string) => read(document(statement(entry("10", "DBIT", more + details))))
    const byBank = whole("<AcctSvcrRef>A1</AcctSvcrRef>")
    assert.deepStrictEqual(
      byBank[0]?.lines.map(({ entry: its, id }) => [id, its]),
      [
        ["A1/1", { id: "A1", units: -1_000n }],
        ["A1/2", { id: "A1", units: -1_000n }]
      ]
    )
    assert.deepStrictEqual(
      whole("<NtryRef>1</NtryRef>")[0]?.lines.map(({ entry: its }) => its),
      [undefined, undefined],
      "its number counts in its statement alone"
    )
    const [request] = byBank.flatMap((one) => statementRequests("bank:bridge", one, () => 2))
    assert.deepStrictEqual(
      request?.lines.map(({ entry: its }) => its),
      Array.from({ length: 2 }, () => ({ id: "A1", amount: { amount: "-10", currency: "EUR" } }))
    )
  })

  it("calls each of several batches of one reference as a statement does that tells them as one line each", () => {
    const details = (amounts: ReadonlyArray<string>) =>
      amounts.map((one) => `<TxDtls><Amt Ccy="EUR">${one}</Amt></TxDtls>`).join("")
    const told = (amount: string, direction: string, amounts: ReadonlyArray<string>) =>
      entry(amount, direction, `<AcctSvcrRef>B</AcctSvcrRef><NtryDtls>${details(amounts)}</NtryDtls>`)
    const shown = (text: string) =>
      read(document(statement(text)))[0]?.lines.map(({ entry: its, id, units }) => [
        id,
        its?.id ?? id,
        its?.units ?? units
      ])
    const fee = ["0.02", "DBIT", []] as const
    const batch = ["10", "DBIT", ["4", "6"]] as const
    const back = ["10", "CRDT", ["4", "6"]] as const
    const parts = shown(told(...fee) + told(...batch) + told(...back))
    assert.deepStrictEqual(parts, [
      ["B", "B", -2n],
      ["B/1", "B#2", -1_000n],
      ["B/2", "B#2", -1_000n],
      ["B/1#2", "B#3", 1_000n],
      ["B/2#2", "B#3", 1_000n]
    ])
    assert.deepStrictEqual(
      shown([fee, batch, back].map(([amount, direction]) => told(amount, direction, [])).join("")),
      [
        ["B", "B", -2n],
        ["B#2", "B#2", -1_000n],
        ["B#3", "B#3", 1_000n]
      ]
    )
    assert.deepStrictEqual(
      shown(told(...batch) + told(...back))?.map(([, its]) => its),
      ["B", "B", "B#2", "B#2"]
    )
  })

  it("calls a batch as a statement of the other form does beside one of its reference that comes to nothing", () => {
    const details = (parts: ReadonlyArray<readonly [string, string]>) =>
      parts
        .map(
          ([amount, direction]) => `<TxDtls><Amt Ccy="EUR">${amount}</Amt><CdtDbtInd>${direction}</CdtDbtInd></TxDtls>`
        )
        .join("")
    const told = (amount: string, parts: ReadonlyArray<readonly [string, string]>) =>
      entry(amount, "DBIT", `<AcctSvcrRef>B</AcctSvcrRef><NtryDtls>${details(parts)}</NtryDtls>`)
    const shown = (text: string) =>
      read(document(statement(text)))[0]?.lines.map(({ entry: its, id, units }) => [id, units, its])
    const rejected = [
      ["5", "CRDT"],
      ["5", "DBIT"]
    ] as const
    const batch = [
      ["4", "DBIT"],
      ["6", "DBIT"]
    ] as const
    const its = { id: "B", units: -1_000n }
    assert.deepStrictEqual(shown(told("0", rejected) + told("10", batch)), [
      ["B/1", 500n, undefined],
      ["B/2", -500n, undefined],
      ["B/1#2", -400n, its],
      ["B/2#2", -600n, its]
    ])
    assert.deepStrictEqual(shown(told("0", []) + told("10", [])), [["B", -1_000n, undefined]])
  })

  it("says which of its ids are its own alone: the bank's reference of an entry is not, the number of an entry is", () => {
    const [one] = read(
      document(
        statement(
          entry("1", "CRDT") +
            entry("2", "CRDT", "<NtryRef>1</NtryRef>") +
            entry("3", "CRDT", "<NtryRef>1</NtryRef><AcctSvcrRef>A2</AcctSvcrRef>") +
            entry("4", "CRDT", "")
        )
      )
    )
    assert.deepStrictEqual(
      one?.lines.map(({ id, isOfStatement }) => [id, isOfStatement]),
      [
        ["A1", undefined],
        ["1", true],
        ["A2", undefined],
        ["S1/4", undefined]
      ]
    )
  })

  it("has entries whose bank says that there is no reference, known by their number or their place", () => {
    for (const none of ["NONREF", "NOTPROVIDED"]) {
      const nothing = `<AcctSvcrRef>${none}</AcctSvcrRef>`
      const [one] = read(
        document(
          statement(
            entry("1", "CRDT", nothing) +
              entry("2", "CRDT", `<NtryRef>7</NtryRef>${nothing}`) +
              entry("3", "CRDT", `<NtryRef>${none}</NtryRef>`) +
              entry("4", "CRDT", `<NtryRef>${none}</NtryRef><AcctSvcrRef>A2</AcctSvcrRef>`)
          )
        )
      )
      assert.deepStrictEqual(
        one?.lines.map(({ id, isOfStatement, references }) => [id, isOfStatement, ...references]),
        [
          ["S1/1", undefined],
          ["7", true, "7"],
          ["S1/3", undefined],
          ["A2", undefined, "A2"]
        ]
      )
    }
  })

  it("is imported under the digest that versions before gave it, which did not say whose an id is", () => {
    const whole = (more: string) => read(document(statement(entry("2", "CRDT", more))))
    const requests = (more: string) =>
      whole(more).flatMap((one) =>
        statementRequests("bank:bridge", one, (code) => currencies.byCode(code)?.decimals ?? 0)
      )
    const [one] = requests("<NtryRef>1</NtryRef>")
    assert.deepStrictEqual(
      one?.lines.map((line) => [line.id, line.of_statement]),
      [["1", true]]
    )
    assert.strictEqual(one?.digest, requests("<AcctSvcrRef>1</AcctSvcrRef>")[0]?.digest)
  })

  it("counts what is pending and leaves it out, and keeps two entries of one reference apart", () => {
    const [one] = read(
      document(statement(entry("1", "CRDT") + entry("2", "CRDT", "", "<Sts><Cd>PDNG</Cd></Sts>") + entry("3", "DBIT")))
    )
    assert.strictEqual(one?.pending, 1)
    assert.deepStrictEqual(
      one?.lines.map(({ id, units }) => [id, units]),
      [
        ["A1", 100n],
        ["A1#2", -300n]
      ]
    )
  })

  it("is read whatever stands between its many elements, and with as many details of an entry as there are", () => {
    const indented = (one: string, more: string) => `\n            ${one}`.repeat(1_600) + more
    const details = `<TxDtls>\n<Amt Ccy="EUR">1</Amt>\n</TxDtls>`
    const batch = `<NtryDtls>${indented(details, "\n          ")}</NtryDtls>`
    const apart = `<NtryDtls>${details}</NtryDtls><NtryDtls/>`.repeat(25_001)
    const entries = indented(entry("1", "CRDT"), "")
    const [one] = read(
      document(statement(`${entries}\n${entry("1600", "CRDT", batch)}${entry("25001", "DBIT", apart)}`))
    )
    assert.lengthOf(one?.lines ?? [], 28_201)
    const [words] = read(
      document(statement(entry("1", "CRDT", "<AddtlNtryInf> a<!-- --> <![CDATA[ ]]>b </AddtlNtryInf>")))
    )
    assert.strictEqual(words?.lines[0]?.text, "a b", "a space in words is one of them")
  })

  it("counts an entry as booked where it has no status, or one that says so, and as pending else", () => {
    const read1 = (status: string) => {
      const [one] = read(document(statement(entry("1", "CRDT", undefined, status))))
      return [one?.lines.length, one?.pending]
    }
    for (const status of ["", "<Sts/>", "<Sts>\n<Cd/>\n</Sts>", "<Sts>BOOK</Sts>", "<Sts><Cd>BOOK</Cd></Sts>"])
      assert.deepStrictEqual(read1(status), [1, 0], status)
    for (const status of ["<Sts>INFO</Sts>", "<Sts><Prtry>PENDING</Prtry></Sts>", "<Sts><Prtry>BOOK</Prtry></Sts>"])
      assert.deepStrictEqual(read1(status), [0, 1], status)
  })

  it("is one whose pages are joined, in whatever order they come", () => {
    const first = page(1, false) + balance("OPBD", "100") + entry("40.5", "DBIT") + entry("1", "CRDT", "")
    const second = page(2, false) + balance("ITBD", "60.5") + entry("3", "CRDT") + entry("4", "CRDT", "")
    const third = page(3, true) + entry("9", "CRDT", "<AcctSvcrRef>A2</AcctSvcrRef>") + balance("CLBD", "76.5")
    const [one, ...others] = read(document(statement(second) + statement(third) + statement(first)))
    assert.deepStrictEqual(others, [])
    assert.strictEqual(one?.id, "S1")
    assert.deepStrictEqual([one?.from, one?.to], [Date.UTC(2026, 10, 23), Date.UTC(2026, 10, 24)])
    assert.deepStrictEqual(
      one?.lines.map(({ id, units }) => [id, units]),
      [
        ["A1", -4_050n],
        ["S1#1/2", 100n],
        ["A1#2", 300n],
        ["S1#2/2", 400n],
        ["A2", 900n]
      ]
    )
    assert.strictEqual(read(document(statement(page(1, true) + entry("1", "CRDT")))).length, 1)
  })

  it("is read where its message is the only page, or has all between its two balances though others go on", () => {
    const [opening, closing] = [balance("OPBD", "100"), balance("CLBD", "59.5")]
    const read1 = (text: string) =>
      read(text).map(({ id, lines }) => [id, ...lines.map((one) => `${one.id}: ${one.units}`)])
    const unnamed = entry("40.5", "DBIT", "")
    assert.deepStrictEqual(read1(messagePage(1, true, statement(unnamed))), [["S1", "S1/1: -4050"]])
    const [one, two] = [
      statement(opening + unnamed + closing),
      statement(opening + unnamed + balance("ITBD", "60") + closing, { id: "S2" })
    ]
    for (const isLast of [true, false])
      assert.deepStrictEqual(read1(messagePage(2, isLast, one + two)), [
        ["S1", "S1/1: -4050"],
        ["S2", "S2/1: -4050"]
      ])
    // the pages of the statement itself say more than those of the message
    assert.strictEqual(read1(messagePage(1, false, statement(page(1, true) + unnamed), "08")).length, 1)
  })

  it("takes its period from its balances where it says none", () => {
    const [one] = read(
      document(`<Stmt><Id>S</Id>${balance("PRCD", "1")}${balance("CLBD", "1", "CRDT", "<Dt>2026-11-30</Dt>")}</Stmt>`)
    )
    assert.deepStrictEqual([one?.from, one?.to], [Date.UTC(2026, 10, 24), Date.UTC(2026, 11, 1)])
  })

  describe("has a period that all its lines are in, and no day of another", () => {
    const day = (number: number, hour = 0) => Date.UTC(2026, 10, number, hour)
    const told = (from: string, to: string, inside = entry("1", "CRDT")) =>
      document(
        `<Stmt><Id>S</Id><FrToDt><FrDtTm>${from}</FrDtTm><ToDtTm>${to}</ToDtTm></FrToDt><Acct><Ccy>EUR</Ccy></Acct>${inside}</Stmt>`
      )
    const silent = (inside: string) => document(`<Stmt><Id>S</Id><Acct><Ccy>EUR</Ccy></Acct>${inside}</Stmt>`)
    const period = (text: string) => {
      const [one] = read(text)
      return one === undefined ? assert.fail("there is none") : [one.from, one.to, ...one.lines.map(({ at }) => at)]
    }

    it("where its bank's day begins later than UTC's, or earlier", () => {
      const newYork = told("2026-11-23T00:00:00-05:00", "2026-11-23T23:59:59-05:00")
      assert.deepStrictEqual(period(newYork), [day(23, 5), day(24, 5), day(23, 5)])
      const all = told("2026-11-01T00:00:00-0500", "2026-11-30T23:59:59-0500")
      assert.deepStrictEqual(period(all), [day(1, 5), day(31, 5), day(23, 5)], "the same line, at the same time")
      const berlin = told("2026-11-23T00:00:00+01:00", "2026-11-23T23:59:59+01:00")
      assert.deepStrictEqual(period(berlin), [day(22, 23), day(23, 23), day(23)])
    })

    it("where it ends at midnight, or in the last second before", () => {
      for (const to of [
        "2026-11-24T00:00:00",
        "2026-11-23T24:00:00Z",
        "2026-11-23T23:59:59",
        "2026-11-23T23:59:59.999"
      ])
        assert.deepStrictEqual(period(told("2026-11-23T00:00:00", to)), [day(23), day(24), day(23)], to)
      // what was booked just then is in it
      assert.deepStrictEqual(period(told("2026-11-22T00:00:00", "2026-11-23T00:00:00")), [
        day(22),
        day(23) + 1_000,
        day(23)
      ])
    })

    it("where a day says its time zone", () => {
      const zoned = (zone: string) => entry("1", "CRDT").replace("2026-11-23</Dt>", `2026-11-23${zone}</Dt>`)
      for (const zone of ["Z", "+01:00", "-05:00"]) {
        const text = told("2026-11-23T00:00:00", "2026-11-23T23:59:59", zoned(zone))
        assert.deepStrictEqual(period(text), [day(23), day(24), day(23)], zone)
        const closing = balance("CLBD", "1", "CRDT", `<Dt>2026-11-23${zone}</Dt>`)
        assert.deepStrictEqual(period(silent(balance("OPBD", "0") + closing + zoned(zone))), [
          day(23),
          day(24),
          day(23)
        ])
      }
    })

    it("where it says its time zone once: a moment without one is of it, as its days are", () => {
      const at = (moment: string) => entry("1", "CRDT").replace("<Dt>2026-11-23</Dt>", `<DtTm>${moment}</DtTm>`)
      const inside = at("2026-11-23T20:00:00") + at("2026-11-23T20:00:00Z")
      for (const end of ["2026-11-24T23:59:59+08:00", "2026-11-24T23:59:59"])
        assert.deepStrictEqual(period(told("2026-11-23T00:00:00+08:00", end, inside)), [
          day(22, 16),
          day(24, 16),
          day(23, 12),
          day(23, 20)
        ])
    })

    it("where it begins with the balance of the day before, or with one that says the day of the statement", () => {
      const of = (date: string) =>
        silent(balance("PRCD", "0", "CRDT", `<Dt>${date}</Dt>`) + balance("CLBD", "1") + entry("1", "CRDT"))
      assert.deepStrictEqual(period(of("2026-11-20")), [day(21), day(24), day(23)])
      assert.deepStrictEqual(period(of("2026-11-22")), [day(23), day(24), day(23)])
      assert.deepStrictEqual(period(of("2026-11-23")), [day(23), day(24), day(23)])
      const nothing = silent(balance("PRCD", "0") + balance("CLBD", "0"))
      assert.deepStrictEqual(period(nothing), [day(23), day(24)])
      const moment = silent(
        `${balance("PRCD", "0", "CRDT", "<DtTm>2026-11-23T00:00:00Z</DtTm>")}${balance("CLBD", "1")}${entry("1", "CRDT")}`
      )
      assert.deepStrictEqual(period(moment), [day(23), day(24), day(23)])
    })
  })

  it("of ours is read back to the unit, whatever the books are", async () => {
    await fc.assert(
      fc.asyncProperty(randomBook, async ({ book, entries }) => {
        const text = await Effect.runPromise(Stream.mkString(camt053.write(book, entries)))
        if (!text.includes("<Stmt>")) return
        const found = readCamt053(text, book.currencies)
        assert.strictEqual(found.length, text.split("<Stmt>").length - 1)
        assert.strictEqual(
          found.reduce((sum, { lines }) => sum + lines.length, 0),
          text.split("<Ntry>").length - 1
        )
      }),
      { numRuns: 30 }
    )
  })
})

describe("a file that is no statement to be trusted is refused, with the reason", () => {
  const whole = statement(entry("1", "CRDT"))

  const laughs = Array.from({ length: 10 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join("")

  const cases: Readonly<Record<string, readonly [string, RegExp]>> = {
    "a bomb of entities": [
      document(whole.replace("S1", "&l10;"), { head: `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs}]>` }),
      /document type definition/u
    ],
    "an entity that reads a file": [
      document(whole.replace("S1", "&f;"), { head: '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>' }),
      /document type definition/u
    ],
    "a definition that names nothing": [document(whole, { head: "<!DOCTYPE x>" }), /document type definition/u],
    "an entity that nobody defined": [document(whole.replace("S1", "&who;")), /well-formed/u],
    "elements in elements without end": [document(`<A>`.repeat(1_000)), /deeper than/u],
    "an entry of too many elements": [
      document(statement(entry("1", "CRDT", "<B/>".repeat(60_000)))),
      /more than 50000 elements/u
    ],
    "elements between entries without end": [
      document(statement(`${"<B/>".repeat(30_000)}${entry("1", "CRDT")}`.repeat(2))),
      /more than 50000 elements/u
    ],
    "a text without end": [
      document(statement(entry("1", "CRDT", `<AddtlNtryInf>${"a".repeat(30_000)}</AddtlNtryInf>`))),
      /longer than/u
    ],
    "a file that was cut": [document(whole).slice(0, -40), /well-formed/u],
    "what is no XML": ["id,amount\n1,2\n", /well-formed/u],
    nothing: ["", /well-formed|no statement/u],
    "another message": [document(whole).replaceAll("camt.053", "camt.052"), /no camt.053 message/u],
    "a message in a namespace of its own": [document(whole).replace(/ xmlns="[^"]*"/u, ""), /no camt.053 message/u],
    "a message without a statement": [document(""), /no statement in it/u],
    "an amount in another currency than the account's": [
      document(statement(entry("1", "CRDT").replace('Ccy="EUR"', 'Ccy="USD"'))),
      /in USD, and the account is in EUR/u
    ],
    "a currency that the service does not know": [
      document(statement(entry("1", "CRDT").replace("EUR", "XAU"), { account: "<Acct><Ccy>XAU</Ccy></Acct>" })),
      /no currency XAU/u
    ],
    "half a cent": [document(statement(entry("1.005", "CRDT"))), /no amount of EUR/u],
    "an amount below zero": [document(statement(entry("-1", "CRDT"))), /no amount of EUR/u],
    "an amount in another form": [document(statement(entry("1e3", "CRDT"))), /no amount of EUR/u],
    "no amount": [document(statement("<Ntry><CdtDbtInd>CRDT</CdtDbtInd></Ntry>")), /no currency|no amount/u],
    "no direction": [document(statement(entry("1", "BOTH"))), /neither CRDT nor DBIT/u],
    "a day that is none": [
      document(statement(entry("1", "CRDT").replace("2026-11-23</Dt></BookgDt>", "2026-13-45</Dt></BookgDt>"))),
      /no date/u
    ],
    "a missing line": [
      document(statement(balance("OPBD", "100") + entry("1", "CRDT") + balance("CLBD", "103"))),
      /not whole/u
    ],
    "a page whose entries do not lead to its closing balance": [
      document(statement(page(1, true) + balance("OPBD", "100") + entry("40.5", "DBIT") + balance("CLBD", "10"))),
      /not whole/u
    ],
    "pages that do not lead from the first balance to the last": [
      document(
        statement(page(1, false) + balance("OPBD", "100") + entry("40.5", "DBIT") + balance("CLBD", "59.5")) +
          statement(page(2, true) + balance("OPBD", "59.5") + entry("1", "CRDT") + balance("CLBD", "61.5"))
      ),
      /not whole/u
    ],
    "pages of which one in the middle is missing": [
      document(statement(page(1, false) + entry("1", "CRDT")) + statement(page(3, true) + entry("1", "CRDT"))),
      /not whole: its pages here are 1, 3/u
    ],
    "pages of which the first is missing": [document(statement(page(2, true) + entry("1", "CRDT"))), /not whole/u],
    "pages of which the last is missing": [document(statement(page(1, false) + entry("1", "CRDT"))), /not whole/u],
    "pages after the last one": [
      document(statement(page(1, true) + entry("1", "CRDT")) + statement(page(2, true) + entry("1", "CRDT"))),
      /not whole/u
    ],
    "a page that stands in it twice": [
      document(statement(page(1, true) + entry("1", "CRDT")) + statement(page(1, true) + entry("1", "CRDT"))),
      /twice/u
    ],
    "pages of two accounts": [
      document(
        statement(page(1, false) + entry("1", "CRDT")) +
          statement(page(2, true) + entry("1", "CRDT"), {
            account: "<Acct><Id><IBAN>DE1</IBAN></Id><Ccy>EUR</Ccy></Acct>"
          })
      ),
      /several accounts/u
    ],
    "a page of a message that goes on": [
      messagePage(1, false, statement(balance("OPBD", "100") + entry("1", "CRDT"))),
      /not certainly whole/u
    ],
    "the last page of a message": [
      messagePage(2, true, statement(entry("1", "CRDT") + balance("CLBD", "100"))),
      /not certainly whole/u
    ],
    "a page of a message in which only another statement is whole": [
      messagePage(
        1,
        false,
        statement(balance("OPBD", "1") + balance("CLBD", "1"), { id: "S2" }) + statement(entry("1", "CRDT"))
      ),
      /not certainly whole/u
    ],
    "a page that ends with an intermediate balance": [
      messagePage(1, false, statement(balance("OPBD", "100") + entry("1", "CRDT") + intermediate("CLBD", "101"))),
      /not certainly whole/u
    ],
    "a page that begins with an intermediate balance, of a message that says nothing of pages": [
      document(statement(balance("ITBD", "100") + entry("1", "CRDT") + balance("CLBD", "101"))),
      /not certainly whole/u
    ],
    "a page of a message whose entries do not lead to its closing balance": [
      messagePage(1, false, statement(balance("OPBD", "100") + entry("1", "CRDT") + balance("CLBD", "103"))),
      /not whole: its opening/u
    ],
    "a message whose page has no number": [messagePage("one", true, whole), /no number of a page/u],
    "a page without a number": [document(statement(page("one", true) + entry("1", "CRDT"))), /no number of a page/u],
    "two statements of one id": [document(whole + whole), /twice/u],
    "a statement without an id": [document(whole.replace("<Id>S1</Id>", "")), /no id/u],
    "a statement without a period": [document("<Stmt><Id>S</Id><Acct><Ccy>EUR</Ccy></Acct></Stmt>"), /no period/u],
    "a statement that ends before it begins": [
      document(whole.replace("2026-11-23T23", "2026-11-22T23")),
      /before it begins/u
    ]
  }

  for (const [what, [text, reason]] of Object.entries(cases))
    it(`as ${what}`, () => assert.match(refused(text), reason))

  it("and it says in which line", () => {
    assert.match(refused(document(`\n\n${statement(`\n${entry("1.005", "CRDT")}`)}`)), /^line 4: /u)
  })

  it("whatever stands in it: no text makes anything but a refusal", () => {
    const pieces = fc.constantFrom(
      "<",
      ">",
      "&",
      "</Stmt>",
      "<Ntry>",
      "<!DOCTYPE",
      "<![CDATA[",
      "]]>",
      "<?x",
      "\u0000",
      '"',
      "€",
      "EUR"
    )
    fc.assert(
      fc.property(fc.array(pieces), fc.nat(400), (noise, at) => {
        const text = document(whole)
        const broken = text.slice(0, at) + noise.join("") + text.slice(at)
        try {
          read(broken)
        } catch (error) {
          assert.instanceOf(error, ImportError)
        }
      }),
      { numRuns: 500 }
    )
  })
})
