import { foundTwice } from "@bursar/core/reconciliation/foundTwice"
import { type Comparison, judgeDifference, type OpenBreak } from "@bursar/core/reconciliation/judgeDifference"
import type { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { knownMissing } from "@bursar/core/reconciliation/recordObservation"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

/** A look that leaves it open how much is missing: from `least` to `most`. */
const missing = (least: bigint, most: bigint): Comparison => ({
  ledger: 1_000n,
  observed: 1_000n - most,
  inFlight: { least: 0n, most: most - least }
})

const verdictOf = (first: Comparison, second: Comparison, ...open: ReadonlyArray<bigint>) => {
  const breaks = open.map((units, index): OpenBreak => ({ id: `b${index}`, units }))
  const both = foundTwice(
    first,
    second,
    open.reduce((sum, units) => sum + units, 0n)
  )
  if (both === null) return "nothing"
  const { closed, opened } = judgeDifference(both, breaks)
  return { closed, opened }
}

const none = { closed: [], opened: 0n }

const broken: ReconciliationBreak = {
  ...{ id: "b", place: "bank:bank", currency: "EUR", units: 100n, since: 0, sinceBlock: null, candidates: [] },
  ...{ about: null, explanation: null, alarmedAt: null, toldAt: null, closedAt: null }
}

const line = { ...broken, about: { kind: "statement_line", id: "1" } } as const
const explanation = { by: "ann", at: 0, note: "a mistake of the bank" }

describe("what is known to be missing", () => {
  for (const [what, open, units] of [
    ["is what open breaks say, explained or not", [broken, { ...broken, units: -30n, explanation }], 70n],
    ["may be what a statement shows as missing", [broken, line], 200n],
    ["is not what a statement shows as missing that a person has explained", [broken, { ...line, explanation }], 100n],
    ["is not less by what a statement shows as too much", [broken, { ...line, units: -40n }], 100n]
  ] as const)
    it(`${what}`, () => {
      assert.strictEqual(knownMissing(open), units)
    })
})

describe("what two looks have both found", () => {
  it("is missing also where what is in flight is another each time: at least what both say", () => {
    assert.deepStrictEqual(verdictOf(missing(99n, 100n), missing(98n, 100n)), { closed: [], opened: 98n })
    assert.deepStrictEqual(verdictOf(missing(90n, 95n), missing(95n, 100n)), { closed: [], opened: 90n })
  })

  it("is nothing where one of them allows what is known", () => {
    assert.deepStrictEqual(verdictOf(missing(100n, 100n), missing(0n, 0n)), "nothing")
    assert.deepStrictEqual(verdictOf(missing(50n, 60n), missing(0n, 100n)), none)
    assert.deepStrictEqual(verdictOf(missing(0n, 100n), missing(50n, 60n)), none)
    assert.deepStrictEqual(verdictOf(missing(40n, 40n), missing(30n, 50n), 40n), none)
    assert.deepStrictEqual(verdictOf(missing(40n, 40n), missing(0n, 0n), 40n), "nothing")
  })

  it("is nothing where more has arrived each time: it may be booked a little later", () => {
    assert.deepStrictEqual(verdictOf(missing(-5n, -5n), missing(-8n, -8n)), "nothing")
    assert.deepStrictEqual(verdictOf(missing(-8n, -8n), missing(-5n, -5n)), "nothing")
    assert.deepStrictEqual(verdictOf(missing(-8n, -8n), missing(5n, 5n)), "nothing")
  })

  it("is nothing where what has arrived hides a part of what is known to be missing, another amount each time", () => {
    assert.deepStrictEqual(verdictOf(missing(90n, 90n), missing(80n, 80n), 100n), "nothing")
    // 7 have come at the first look, 10 at the second: the smaller loss is still there
    assert.deepStrictEqual(verdictOf(missing(103n, 103n), missing(100n, 100n), 100n, 10n), "nothing")
    // beside what is too much it is only noted, too
    assert.deepStrictEqual(verdictOf(missing(-90n, -90n), missing(-80n, -80n), -100n), "nothing")
    assert.deepStrictEqual(verdictOf(missing(-5n, -5n), missing(5n, 5n), -100n), "nothing")
  })

  it("is what both miss beyond what is known", () => {
    assert.deepStrictEqual(verdictOf(missing(103n, 103n), missing(105n, 105n), 100n), { closed: [], opened: 3n })
  })

  it("is the lesser of two amounts that are missing, whoever sends something in the meantime", () => {
    assert.deepStrictEqual(verdictOf(missing(99n, 99n), missing(98n, 98n)), { closed: [], opened: 98n })
    assert.deepStrictEqual(verdictOf(missing(99n, 99n), missing(150n, 151n)), { closed: [], opened: 99n })
  })

  it("closes what cannot be there any more, and only where most of it must have gone", () => {
    assert.deepStrictEqual(verdictOf(missing(-3n, 2n), missing(-4n, 2n), 100n), { closed: ["b0"], opened: 0n })
    assert.deepStrictEqual(verdictOf(missing(35n, 48n), missing(30n, 47n), 100n, 40n), { closed: ["b0"], opened: 0n })
    // a stranger sends one unit while much is in flight
    assert.deepStrictEqual(verdictOf(missing(-500n, 99n), missing(-400n, 99n), 100n), { closed: [], opened: -1n })
  })

  it("opens nothing over clean books, whatever is in flight at either", () => {
    const clean = fc
      .tuple(fc.bigInt({ min: -50n, max: 0n }), fc.bigInt({ min: 0n, max: 50n }))
      .map(([least, most]) => missing(least, most))
    fc.assert(fc.property(clean, clean, (first, second) => assert.deepStrictEqual(verdictOf(first, second), none)))
  })
})
