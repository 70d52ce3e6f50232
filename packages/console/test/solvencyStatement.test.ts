import { assert, it } from "@effect/vitest"
import { Untouched } from "../src/api/Untouched.ts"
import { solvencyStatementOf, statementPlaces } from "../src/screens/books/solvencyStatement.ts"

const said = {
  ...{ place: "bank", provider: "Bank of Examples", currency: "EUR", amount: "45000.00" },
  ...{ as_of: "2026-11-23T11:00:00Z", file: "november.pdf", sha256: "ab".repeat(32) }
}

it("a statement for a snapshot is what a snapshot takes, and nothing mistyped", () => {
  for (const place of statementPlaces)
    assert.deepStrictEqual(solvencyStatementOf({ ...said, place }), { ...said, place })
  const { file: _file, ...fileless } = said
  for (const wrong of [
    ...[{ as_of: "30.11.2026 12:00" }, { as_of: "" }, { amount: "1,5" }, { currency: "" }, { place: "sofa" }].map(
      (one) => ({ ...said, ...one })
    ),
    fileless
  ])
    assert.throws(() => solvencyStatementOf(wrong), Untouched)
})
