import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Balance } from "@bursar/core/ledger/Leg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Scheduler, Stream } from "effect"
import type { Book } from "../src/Book.ts"
import { formats } from "../src/formats.ts"
import { statementPdf } from "../src/statement/pdf.ts"
import { tenantStatement } from "../src/statement/tenantStatement.ts"

/** A tenant with so many customers' accounts, on which nothing was booked this month, and how often the name of one was looked at. */
const bookOf = (accounts: number) => {
  const looked = { times: 0 }
  const balances = Array.from({ length: accounts }, (_, number): Balance => {
    const account = `account:0199a5e1-682f-7b02-a706-${String(number).padStart(12, "0")}` as const
    return {
      get account() {
        looked.times += 1
        return account
      },
      currency: "EUR",
      units: 100n,
      version: 1
    }
  })
  const book: Book = {
    tenant: { id: "0199a5e1-0000-7000-8000-000000000001", slug: "demo", name: "Demo" },
    currencies: defaultCurrencies,
    range: { after: accounts, through: accounts },
    from: Date.UTC(2026, 9, 1),
    to: Date.UTC(2026, 10, 1) - 1,
    opening: balances,
    closing: balances
  }
  return { book, looked }
}

/** What comes of some work, and how many turns of the event loop it takes. */
const inTurns = async <A>(work: Effect.Effect<A>): Promise<{ readonly result: A; readonly turns: number }> => {
  let turns = 0
  const scheduler = new Scheduler.MixedScheduler("async", (go) => {
    const immediate = setImmediate(() => {
      turns += 1
      go()
    })
    return () => clearImmediate(immediate)
  })
  const result = await Effect.runPromise(work, { scheduler })
  return { result, turns }
}

const none = () => Stream.empty

const many = 10_000

describe("the books of a tenant with 10,000 customers' accounts", () => {
  for (const [name, format] of Object.entries(formats))
    it(`are written as ${name} without looking at each account once for each other`, async () => {
      const { book, looked } = bookOf(many)
      await Effect.runPromise(Stream.runDrain(format.write(book, none)))
      assert.isAtMost(looked.times, 20 * many)
    })

  for (const name of ["hledger", "beancount", "csv"] as const)
    it(`let others go on while they are written as ${name}`, async () => {
      const { book } = bookOf(many)
      // 20,000 lines of what was and what is
      const { turns } = await inTurns(Stream.runDrain(formats[name].write(book, none)))
      assert.isAtLeast(turns, 30)
    })

  it("let others go on while a month's statement is written as PDF: each page is a turn", async () => {
    const statement = tenantStatement(bookOf(many).book, { period: "2026-10", statementVersion: 3 }, none)
    const { result, turns } = await inTurns(statementPdf(statement, "0".repeat(64)))
    const pages = Buffer.from(result)
      .toString("latin1")
      .match(/\/Type \/Page\b/gu)
    assert.isAbove(pages?.length ?? 0, 100)
    assert.isAtLeast(turns, pages?.length ?? 0)
  }, 120_000)

  it("ask for no entries of accounts on which nothing was booked, as CAMT.053", async () => {
    const { book } = bookOf(many)
    let asked = 0
    const text = await Effect.runPromise(
      Stream.mkString(
        formats.camt053.write(book, () => {
          asked += 1
          return Stream.empty
        })
      )
    )
    assert.strictEqual(asked, 0)
    assert.lengthOf(text.match(/<Stmt>/gu) ?? [], many)
  })
})
