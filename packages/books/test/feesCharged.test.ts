import { type Account, normalSide, type Side } from "@bursar/core/ledger/Account"
import type { LegPurpose, PostedLeg } from "@bursar/core/ledger/Leg"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { OperationKind } from "@bursar/core/operation/Operation"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { Book } from "../src/Book.ts"
import { statementCsv } from "../src/statement/Statement.ts"
import { tenantStatement } from "../src/statement/tenantStatement.ts"

const id = "0199a5e1-682f-7b02-a706-3b2422d13aec"
const postedAt = Date.UTC(2026, 9, 5)

type Line = readonly [account: Account, direction: Side, currency: string, units: bigint, what: LegPurpose]

const postings = (kind: OperationKind, all: ReadonlyArray<ReadonlyArray<Line>>): ReadonlyArray<JournalEntry> => {
  const balances = new Map<string, bigint>()
  return all.map((lines, index) => ({
    posting: index + 1,
    postedAt,
    subject: { id, kind, network: null, partnerReference: null, txHash: null },
    legs: lines.map(([account, direction, currency, units, what], ordinal): PostedLeg => {
      const key = `${account}|${currency}`
      const balance = (balances.get(key) ?? 0n) + (direction === normalSide(account) ? units : -units)
      balances.set(key, balance)
      const place = { operationId: id, postingSeq: index + 1, ordinal, version: 1, postedAt }
      return { ...place, account, direction, currency, units, what, balance }
    })
  }))
}

/** The section `fees` of the statement of those postings: product, currency and amount. */
const feesOf = (version: number, kind: OperationKind, ...all: ReadonlyArray<ReadonlyArray<Line>>) => {
  const book: Book = {
    tenant: { id: "0199a5e1-0000-7000-8000-000000000001", slug: "acme", name: "Acme" },
    currencies: defaultCurrencies,
    range: { after: 0, through: all.length },
    from: Date.UTC(2026, 9, 1),
    to: Date.UTC(2026, 10, 1) - 1,
    opening: [],
    closing: []
  }
  const closing = { period: "2026-10", statementVersion: version }
  const statement = tenantStatement(book, closing, () => Stream.fromIterable(postings(kind, all)))
  const csv = Effect.runSync(Stream.mkString(statementCsv(statement)))
  return csv
    .split("\r\n")
    .filter((row) => row.startsWith("fees,"))
    .map((row) => row.split(",").filter((cell) => cell !== "" && cell !== "fees"))
}

/** 100 EUR are sold for a fee of 0.50. */
const accepted: ReadonlyArray<Line> = [
  ["float:available", "DEBIT", "EUR", 10_000n, "convert_out"],
  ["exchange", "CREDIT", "EUR", 10_000n, "convert_out"],
  ["float:available", "DEBIT", "EUR", 50n, "fee"],
  ["fees", "CREDIT", "EUR", 50n, "fee"]
]

/** The custodian brings 113 USD, of which 110 are credited, and takes 0.80 EUR beside. */
const settled: ReadonlyArray<Line> = [
  ["exchange", "DEBIT", "EUR", 10_000n, "convert_out"],
  ["custodian", "CREDIT", "EUR", 10_000n, "convert_out"],
  ["custodian", "DEBIT", "USD", 11_300n, "convert_in"],
  ["exchange", "CREDIT", "USD", 11_300n, "convert_in"],
  ["exchange", "DEBIT", "USD", 11_300n, "convert_in"],
  ["float:available", "CREDIT", "USD", 11_000n, "convert_in"],
  ["fees", "CREDIT", "USD", 300n, "convert_in"],
  ["fees", "DEBIT", "EUR", 80n, "convert_out"],
  ["custodian", "CREDIT", "EUR", 80n, "convert_out"]
]

describe("the fees of a tenant's statement", () => {
  it("are those that its lines tell: neither what the service earned by a conversion nor what it bore", () => {
    assert.deepStrictEqual(feesOf(3, "SWAP", accepted, settled), [["SWAP", "EUR", "0.50"]])
  })

  it("stay as they were hashed where the month was closed before that", () => {
    for (const version of [1, 2])
      assert.deepStrictEqual(feesOf(version, "SWAP", accepted, settled), [
        ["SWAP", "EUR", "-0.30"],
        ["SWAP", "USD", "3.00"]
      ])
  })

  it("are without those of what failed and was given back", () => {
    const returned: ReadonlyArray<Line> = [
      ["exchange", "DEBIT", "EUR", 10_000n, "return"],
      ["float:available", "CREDIT", "EUR", 10_000n, "return"],
      ["fees", "DEBIT", "EUR", 50n, "return"],
      ["float:available", "CREDIT", "EUR", 50n, "return"]
    ]
    assert.deepStrictEqual(feesOf(3, "SWAP", accepted, returned), [])
  })

  it("are without the share that a bank's return gave back, but not without what the service bore of the return", () => {
    const arrived: ReadonlyArray<Line> = [
      ["bank", "DEBIT", "EUR", 9_900n, "principal"],
      ["float:available", "CREDIT", "EUR", 10_000n, "principal"],
      ["fees", "DEBIT", "EUR", 100n, "principal"],
      ["float:available", "DEBIT", "EUR", 50n, "fee"],
      ["fees", "CREDIT", "EUR", 50n, "fee"]
    ]
    const half: ReadonlyArray<Line> = [
      ["bank", "CREDIT", "EUR", 4_975n, "return"],
      ["float:available", "DEBIT", "EUR", 5_000n, "return"],
      ["fees", "CREDIT", "EUR", 25n, "return"],
      ["float:available", "CREDIT", "EUR", 25n, "return"],
      ["fees", "DEBIT", "EUR", 25n, "return"]
    ]
    assert.deepStrictEqual(feesOf(3, "ON_RAMP", arrived, half), [["ON_RAMP", "EUR", "0.25"]])
  })
})
