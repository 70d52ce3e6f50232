import { assert, it } from "@effect/vitest"
import { keptTold, requestsOf, statementsTold } from "../src/screens/reconciliation/statementsTold.ts"

const at = "2026-11-02T00:00:00Z"
const line = { id: "1", at, amount: { amount: "-40.5", currency: "EUR" }, references: [], text: "" }

const part = (id: string, number: number) => ({
  ...{ place: "bank:alpha", id, parts: 2, part: number, digest: "ab".repeat(32), currencies: ["EUR"] },
  ...{ from: "2026-11-01T00:00:00Z", to: "2026-12-01T00:00:00Z", lines: [line, line] }
})

const statements = [
  { account: "PT50\u202e1", pending: 0, requests: [part("2026-11", 0), part("2026-11", 1)] },
  { account: null, pending: 0, requests: [part("other", 0)] }
]

it("what a file holds is told with the place and the account that it is imported for", () => {
  assert.lengthOf(requestsOf(statements), 3)
  const period = "(EUR, 2026-11-01T00:00:00Z to 2026-12-01T00:00:00Z)"
  assert.strictEqual(
    statementsTold(statements),
    `For bank:alpha: 6 lines in 2026-11 of account PT50\u202e1 ${period}; other ${period}.`
  )
})

it("nothing is said to be kept or not kept otherwise than it is", () => {
  assert.deepStrictEqual(
    [keptTold(null, 2), keptTold(0, 2), keptTold(1, 2), keptTold(2, 2)],
    [
      "Nothing is kept yet.",
      "0 of 2 parts are kept for certain.",
      "1 of 2 parts are kept for certain.",
      "All of it is kept."
    ]
  )
})
