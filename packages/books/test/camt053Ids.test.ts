import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { Book } from "../src/Book.ts"
import { camt053 } from "../src/Camt053.ts"

const month = (first: number) => ({ from: Date.UTC(2026, first, 1), to: Date.UTC(2026, first + 1, 1) - 1 })

const acme: Book = {
  tenant: { id: "0199a5e1-0000-7000-8000-000000000001", slug: "acme", name: "Acme" },
  currencies: defaultCurrencies,
  range: { after: 7, through: 8 },
  ...month(9),
  opening: [],
  closing: [
    { account: "float:available", currency: "EUR", units: 100n, version: 1 },
    { account: "float:available", currency: "USD", units: 100n, version: 1 },
    { account: "account:0199a5e1-682f-7b02-a706-3b2422d13aec", currency: "EUR", units: 100n, version: 1 }
  ]
}

/** The ids of the message and of its statements. */
const idsOf = (book: Book): ReadonlyArray<string> => {
  const xml = Effect.runSync(Stream.mkString(camt053.write(book, () => Stream.empty)))
  return [...xml.matchAll(/<MsgId>([^<]*)<\/MsgId>|<Stmt><Id>([^<]*)<\/Id>/gu)].map(
    ([, one, other]) => one ?? other ?? ""
  )
}

describe("the ids of CAMT.053", () => {
  it("are those of no other tenant, range or month, so that no program takes a file for a repeat of another", () => {
    const others: ReadonlyArray<Book> = [
      { ...acme, tenant: { ...acme.tenant, id: "0199a5e1-0000-7000-8000-000000000002" } },
      { ...acme, range: { after: 7, through: 9 } },
      // two months in which nothing was booked
      { ...acme, range: { after: 8, through: 8 } },
      { ...acme, range: { after: 8, through: 8 }, ...month(10) }
    ]
    const all = [acme, ...others].flatMap(idsOf)
    assert.lengthOf(all, 4 * 5)
    assert.strictEqual(new Set(all).size, all.length)
  })

  it("are the same where the same is exported again, and as long as the schema lets them be", () => {
    assert.deepStrictEqual(idsOf(acme), idsOf(acme))
    for (const id of idsOf(acme)) assert.match(id, /^[0-9a-f]{1,35}$/u)
  })

  it("are the same where a month that is not over is exported again: it ends at the moment of the export", () => {
    assert.deepStrictEqual(idsOf({ ...acme, to: acme.from + 20 }), idsOf({ ...acme, to: acme.from }))
  })
})
