import { judgeBeside, judgeDifference, type OpenBreak } from "@bursar/core/reconciliation/judgeDifference"
import { exactly } from "@bursar/core/reconciliation/Movement"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const units = fc.bigInt({ min: -50n, max: 50n })

/** The breaks that are open after an observation: what came on top has the next id. */
const after = (open: ReadonlyArray<OpenBreak>, verdict: ReturnType<typeof judgeDifference>, id: string) => [
  ...open.filter((one) => !verdict.closed.includes(one.id)),
  ...(verdict.opened === 0n ? [] : [{ id, units: verdict.opened }])
]

const sum = (open: ReadonlyArray<OpenBreak>): bigint => open.reduce((all, one) => all + one.units, 0n)

describe("judgeDifference", () => {
  it("after every observation the open breaks make up the difference, to the unit, whatever happened", () => {
    const steps = fc.array(
      fc.record({ ledger: units, observed: units, least: units, width: fc.bigInt({ min: 0n, max: 9n }) })
    )
    fc.assert(
      fc.property(steps, (all) => {
        let open: ReadonlyArray<OpenBreak> = []
        for (const [step, { ledger, least, observed, width }] of all.entries()) {
          const inFlight = { least, most: least + width }
          const verdict = judgeDifference({ ledger, observed, inFlight }, open)
          open = after(open, verdict, `b${step}`)
          assert.strictEqual(sum(open), verdict.difference)
          assert.strictEqual(ledger - verdict.inFlight - observed, verdict.difference)
          assert.isTrue(verdict.inFlight >= inFlight.least && verdict.inFlight <= inFlight.most)
          assert.isFalse(open.some((one) => one.units === 0n))
        }
      })
    )
  })

  it("clean books open no break, however little is known of what is in flight", () => {
    const known = fc.record({ ledger: units, truly: units, below: fc.nat(9).map(BigInt), above: fc.nat(9).map(BigInt) })
    fc.assert(
      fc.property(fc.array(known), (all) => {
        for (const { above, below, ledger, truly } of all) {
          const inFlight = { least: truly - below, most: truly + above }
          const verdict = judgeDifference({ ledger, observed: ledger - truly, inFlight }, [])
          assert.deepStrictEqual([verdict.opened, verdict.closed, verdict.difference], [0n, [], 0n])
        }
      })
    )
  })

  it("each loss is a break of its own, and what comes back closes the one that it was", () => {
    const ledger = 1_000n
    const exact = exactly(0n)
    const first = judgeDifference({ ledger, observed: 993n, inFlight: exact }, [])
    assert.strictEqual(first.opened, 7n)
    const one = [{ id: "seven", units: 7n }]
    const second = judgeDifference({ ledger, observed: 988n, inFlight: exact }, one)
    assert.strictEqual(second.opened, 5n)
    const two = [...one, { id: "five", units: 5n }]
    const back = judgeDifference({ ledger, observed: 995n, inFlight: exact }, two)
    assert.deepStrictEqual([back.closed, back.opened], [["seven"], 0n])
    const part = judgeDifference({ ledger, observed: 990n, inFlight: exact }, two)
    assert.deepStrictEqual([part.closed, part.opened], [[], -2n])
    assert.deepStrictEqual(judgeDifference({ ledger, observed: ledger, inFlight: exact }, two).closed, [
      "seven",
      "five"
    ])
  })

  it("a break does not close because something that may be in flight could be it", () => {
    const open = [{ id: "stolen", units: 40n }]
    const verdict = judgeDifference({ ledger: 100n, observed: 60n, inFlight: { least: 0n, most: 50n } }, open)
    assert.deepStrictEqual([verdict.closed, verdict.opened, verdict.difference], [[], 0n, 40n])
  })
})

describe("beside many breaks that are open", () => {
  const many = (count: number, base: bigint): ReadonlyArray<OpenBreak> =>
    Array.from({ length: count }, (_, at) => ({ id: `old-${at}`, units: base + 3n ** BigInt(at) }))
  const judged = (missing: bigint, open: ReadonlyArray<OpenBreak>) =>
    judgeDifference({ ledger: missing, observed: 0n, inFlight: exactly(0n) }, open)

  it("one whose difference has gone closes, whichever it is, so that the next loss of as much is a break again", () => {
    for (const count of [3, 12, 40]) {
      const old = many(count, 7n)
      const open = [...old, { id: "new", units: 1_000_003n }]
      const gone = judged(sum(old), open)
      assert.deepStrictEqual([gone.closed, gone.opened], [["new"], 0n])
      assert.strictEqual(judged(sum(open), old).opened, 1_000_003n)
      for (const one of open) assert.deepStrictEqual(judged(sum(open) - one.units, open).closed, [one.id])
    }
  })

  it("what was lost in parts and is back closes, however many small amounts others have sent meanwhile", () => {
    const parts = [
      { id: "one", units: 1_000_003n },
      { id: "two", units: 2_000_029n }
    ]
    const dust = many(20, 1n).map(({ id }, at): OpenBreak => ({ id, units: -1n - BigInt(at) }))
    for (const open of [
      [...parts, ...dust],
      [...dust, ...parts]
    ]) {
      const back = judged(sum(dust), open)
      assert.deepStrictEqual([back.closed, back.opened], [["one", "two"], 0n])
    }
  })

  it("a loss that a statement has shown first is no second break, whatever else statements have shown", () => {
    for (const count of [3, 8, 40]) {
      const old = many(count, 100n)
      const told = [...old, { id: "new", units: 1_000_003n }]
      const beside = (missing: bigint) =>
        judgeBeside({ ledger: missing, observed: 0n, inFlight: exactly(0n) }, [], told).opened
      assert.strictEqual(beside(1_000_003n), 0n)
      assert.strictEqual(beside(sum(old)), 0n)
    }
  })

  it("what they come to is not summed up anew for all that statements may have shown: nothing else runs meanwhile", () => {
    let reads = 0
    const counting = (some: ReadonlyArray<OpenBreak>): ReadonlyArray<OpenBreak> =>
      some.map(({ id, units: amount }) => ({
        id,
        get units() {
          reads += 1
          return amount
        }
      }))
    const [open, told] = [many(12, 10n ** 9n), many(8, 10n ** 12n)]
    const comparison = { ledger: sum(open) + 77n, observed: 0n, inFlight: exactly(0n) }
    assert.strictEqual(judgeBeside(comparison, counting(open), counting(told)).closed.length, 0)
    assert.isBelow(reads, 20_000)
  })
})

describe("what leaves a place where too much stands", () => {
  const judged = (difference: bigint, ...open: ReadonlyArray<bigint>) => {
    const breaks = open.map((one, index): OpenBreak => ({ id: `b${index}`, units: one }))
    const verdict = judgeDifference({ ledger: difference, observed: 0n, inFlight: exactly(0n) }, breaks)
    return [verdict.closed, verdict.opened]
  }

  it("leaves less of it, and nothing is missing", () => {
    assert.deepStrictEqual(judged(-600n, -1_000n), [["b0"], -600n])
    assert.deepStrictEqual(judged(-650n, -50n, -1_000n), [["b1"], -600n])
    assert.deepStrictEqual(judged(-20n, -50n, -1_000n), [["b1", "b0"], -20n])
    // a loss that is known stays what it is
    assert.deepStrictEqual(judged(-560n, 40n, -1_000n), [["b1"], -600n])
    assert.deepStrictEqual(judged(-1_000n, -600n, -400n, -30n), [["b2"], 0n])
  })

  it("is missing as far as it is more", () => {
    assert.deepStrictEqual(judged(7n, -1_000n), [["b0"], 7n])
    assert.deepStrictEqual(judged(107n, 100n, -30n, -5n), [["b1", "b2"], 7n])
  })

  it("is no more than it must be while nobody knows what is in flight", () => {
    const verdict = judgeDifference({ ledger: 0n, observed: 600n, inFlight: { least: -100n, most: 200n } }, [
      { id: "tooMuch", units: -1_000n }
    ])
    assert.deepStrictEqual([verdict.closed, verdict.opened, verdict.difference], [["tooMuch"], -800n, -800n])
  })

  it("opens nothing that is missing, in whatever parts it leaves", () => {
    const amount = fc.bigInt({ min: 1n, max: 50n })
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 20 }), fc.array(amount), (came, leaving) => {
        let open: ReadonlyArray<OpenBreak> = came.map((one, index) => ({ id: `b${index}`, units: -one }))
        for (const [step, part] of leaving.entries()) {
          if (sum(open) + part > 0n) continue
          const found = { ledger: sum(open) + part, observed: 0n, inFlight: exactly(0n) }
          open = after(open, judgeDifference(found, open), `l${step}`)
          assert.isTrue(open.every((one) => one.units < 0n))
        }
      })
    )
  })
})

describe("judgeBeside", () => {
  const told = (...all: ReadonlyArray<bigint>): ReadonlyArray<OpenBreak> =>
    all.map((units, index) => ({ id: `s${index}`, units }))
  const judged = (observed: bigint, open: ReadonlyArray<OpenBreak>, statement: ReadonlyArray<OpenBreak>) => {
    const verdict = judgeBeside({ ledger: 1_000n, observed, inFlight: exactly(0n) }, open, statement)
    return [verdict.difference, verdict.opened, verdict.closed]
  }

  it("needs no break of its own for what a statement shows, in whatever part what is held shows it", () => {
    assert.deepStrictEqual(judged(960n, [], told(40n)), [40n, 0n, []])
    // booked away, or not in the balance yet
    assert.deepStrictEqual(judged(1_000n, [], told(40n)), [0n, 0n, []])
    assert.deepStrictEqual(judged(993n, [], told(40n, 7n)), [7n, 0n, []])
    assert.deepStrictEqual(judged(1_000n, [], told(5n, -5n)), [0n, 0n, []])
  })

  it("closes a break of what is held that the statement has split up, and opens one for what it does not show", () => {
    assert.deepStrictEqual(judged(997n, [{ id: "b", units: 3n }], told(1n, 2n)), [3n, 0n, ["b"]])
    assert.deepStrictEqual(judged(940n, [], told(40n)), [60n, 20n, []])
    assert.deepStrictEqual(judged(940n, [{ id: "b", units: 20n }], told(40n)), [60n, 0n, []])
  })

  it("is judgeDifference where no statement shows anything, and always tells the difference to the unit", () => {
    const some = fc.array(units, { maxLength: 10 })
    fc.assert(
      fc.property(units, units, some, some, (ledger, observed, open, statement) => {
        const comparison = { ledger, observed, inFlight: exactly(0n) }
        const breaks = open.filter((one) => one !== 0n).map((one, index) => ({ id: `b${index}`, units: one }))
        assert.deepStrictEqual(judgeBeside(comparison, breaks, []), judgeDifference(comparison, breaks))
        assert.strictEqual(judgeBeside(comparison, breaks, told(...statement)).difference, ledger - observed)
      })
    )
  })
})
