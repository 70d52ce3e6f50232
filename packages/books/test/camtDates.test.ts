import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { JournalEntry } from "@bursar/core/store/Journal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { Book } from "../src/Book.ts"
import { camt053 } from "../src/Camt053.ts"

const range = { after: 7, through: 8 }

const book: Book = {
  tenant: { id: "0199a5e1-0000-7000-8000-000000000001", slug: "acme", name: "Acme" },
  currencies: defaultCurrencies,
  range,
  from: Date.UTC(2026, 10, 1),
  to: Date.UTC(2026, 11, 1) - 1,
  opening: [],
  closing: [{ account: "float:available", currency: "EUR", units: 100n, version: 1 }]
}

const bookedAt = (postedAt: number): JournalEntry => {
  const operationId = "0199a5e1-682f-7b02-a706-3b2422d13aec"
  return {
    posting: range.through,
    postedAt,
    subject: { id: operationId, kind: "ON_RAMP", network: null, partnerReference: null, txHash: null },
    legs: [
      {
        account: "float:available",
        direction: "CREDIT",
        currency: "EUR",
        units: 100n,
        what: "principal",
        operationId,
        postingSeq: range.through,
        ordinal: 1,
        balance: 100n,
        version: 1,
        postedAt
      }
    ]
  }
}

const datesOf = (postedAt: number): ReadonlyArray<string | undefined> => {
  const text = Effect.runSync(Stream.mkString(camt053.write(book, () => Stream.succeed(bookedAt(postedAt)))))
  return ["BookgDt", "ValDt"].map((name) => new RegExp(`<${name}><DtTm>([^<]+)<`, "u").exec(text)?.[1])
}

describe("an entry of a CAMT.053 statement", () => {
  it("that belongs to a month that began later is booked on that month's first day, and its own time is its value date", () =>
    assert.deepStrictEqual(datesOf(Date.UTC(2026, 9, 31, 23, 59, 59, 999)), [
      "2026-11-01T00:00:00.000Z",
      "2026-10-31T23:59:59.999Z"
    ]))

  it("of the month is booked when it was", () =>
    assert.deepStrictEqual(datesOf(Date.UTC(2026, 10, 5, 12)), [
      "2026-11-05T12:00:00.000Z",
      "2026-11-05T12:00:00.000Z"
    ]))
})
