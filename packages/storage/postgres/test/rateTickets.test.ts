import { assert, describe, it } from "@effect/vitest"
import { makeRateTickets } from "../src/internal/RateTickets.ts"

const windows = [{ subject: "key", limit: 8_000 }]
const second = 1_700_000_000

/** The tickets of a process that has just heard how many are left. */
const told = (remaining: number) => {
  const tickets = makeRateTickets()
  tickets.note(windows, { _tag: "Allowed", remaining, resetSeconds: 60 })
  const keep = (count: number) =>
    tickets.keep(windows, second, { count, remaining, resetSeconds: 60, counted: [{ subject: "key", second }] })
  return { ...tickets, keep }
}

describe("how many requests a process takes ahead", () => {
  it("is some for each that came, and more each time they are used up within their second", () => {
    const { ahead, keep } = told(8_000)
    const all: Array<number> = []
    for (let time = 0; time < 3; time++) {
      all.push(ahead(windows, 5, second))
      keep(all.at(-1) ?? 0)
    }
    assert.deepStrictEqual(all, [20, 80, 320])
    assert.strictEqual(ahead(windows, 5, second + 1), 20)
  })

  it("is never more than a share of what is left, however fast they are used up", () => {
    const { ahead, keep } = told(600)
    keep(70)
    assert.strictEqual(ahead(windows, 50, second), 75)
  })

  it("is never more than 2,000, and none of windows of which nothing is known", () => {
    const { ahead, keep } = told(1_000_000)
    keep(1_999)
    assert.strictEqual(ahead(windows, 5, second), 2_000)
    assert.strictEqual(ahead([{ subject: "another", limit: 600 }], 5, second), 0)
  })
})
