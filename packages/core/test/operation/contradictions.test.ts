import {
  closedContradictionsMax,
  closedContradictionsOf,
  contradictedBy,
  type Contradicting,
  contradictionsMax,
  contradictionsOf,
  withContradictionsClosed,
  withoutContradictionsOf
} from "@bursar/core/operation/contradictions"
import type { Operation } from "@bursar/core/operation/Operation"
import { keepTold, orderIds } from "@bursar/core/operation/orderIds"
import { bareOperation, newIdAt } from "@bursar/testkit/fixtures/records"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"

const bare = bareOperation({ newId: () => newIdAt(1), now: 1, tenant: tenantRecord(1) }, { kind: "SWAP" })
const failed: Operation = { ...bare, status: "FAILED", providerReference: "own", details: { told_reference: "first" } }

const settled: Contradicting = { said: "settled", moved: true }
const away: Contradicting = { said: "on its way", moved: false }

/** An operation after its provider has said all that, each of an order. */
const heard = (all: ReadonlyArray<readonly [Contradicting, string | null]>, before = failed) =>
  all.reduce((operation, [said, of], at) => contradictedBy(operation, said, at, of) ?? operation, before)

const saidOf = (operation: Operation) => contradictionsOf(operation).map(({ reference, said }) => [reference, said])

describe("what a provider says of an operation that is over", () => {
  it("is shown with what tells most first: that money has moved, then its own orders, then what was said last", () => {
    const all = heard([
      [{ said: "denied", moved: false }, null],
      [settled, "strange"],
      [away, "own"],
      [settled, "stranger"],
      [settled, "first"],
      [settled, "own"]
    ])
    assert.deepStrictEqual(saidOf(all), [
      ["own", "settled"],
      ["first", "settled"],
      ["stranger", "settled"],
      ["strange", "settled"],
      ["own", "on its way"],
      [undefined, "denied"]
    ])
    assert.strictEqual(all.details.contradiction?.said, "settled")
  })

  it("is replaced by nothing that says less, nor noted again", () => {
    const all = heard([[settled, "own"]])
    for (const [said, of] of [
      [settled, "own"],
      [away, "own"],
      [{ said: "failed", moved: false }, "own"]
    ] as const)
      assert.isUndefined(contradictedBy(all, said, 9, of))
    assert.strictEqual(heard([[away, "first"]], all).details.contradiction?.said, "settled")
  })

  it("is taken back for the order alone that turns out to be another's", () => {
    const all = heard([
      [settled, "strange"],
      [settled, "own"]
    ])
    assert.deepStrictEqual(saidOf(withoutContradictionsOf(all, "own")), [["strange", "settled"]])
    assert.strictEqual(withoutContradictionsOf(all, "none"), all)
    assert.strictEqual(withoutContradictionsOf(all, null), all)
    const none = withoutContradictionsOf(withoutContradictionsOf(all, "own"), "strange")
    assert.deepStrictEqual(none.details, failed.details)
  })

  it("is kept so many times at most, and what does not say that money has moved gives way to what does", () => {
    const ways = Array.from({ length: contradictionsMax }, (_, at) => [away, `o-${at}`] as const)
    const full = heard(ways)
    assert.isUndefined(contradictedBy(full, away, 99, "more"))
    const moved = heard(
      ways.map(([, of]) => [settled, of] as const),
      full
    )
    assert.deepStrictEqual(
      contradictionsOf(moved).map(({ said }) => said),
      ways.map(() => "settled")
    )
    assert.isUndefined(contradictedBy(moved, settled, 99, "more"))
  })

  it("is told of its own orders, however many others it was told of before", () => {
    for (const said of [settled, away]) {
      const full = heard(Array.from({ length: contradictionsMax }, (_, at) => [said, `o-${at}`] as const))
      for (const own of ["first", "own"]) {
        const after = contradictedBy(full, said, 99, own) ?? assert.fail("it went unheard")
        assert.lengthOf(contradictionsOf(after), contradictionsMax)
        assert.strictEqual(after.details.contradiction?.reference, own)
        // the oldest of the others gave way, and is not noted again
        assert.notInclude(
          saidOf(after).map(([of]) => of),
          "o-0"
        )
        assert.isUndefined(contradictedBy(after, said, 100, "o-0"))
      }
    }
  })

  it("of a time when it was not kept whether money has moved gives way to nothing that says less", () => {
    const old: Operation = { ...failed, details: { contradiction: { said: "it says SETTLED", at: 0 } } }
    assert.strictEqual(heard([[away, "own"]], old).details.contradiction?.said, "it says SETTLED")
    assert.strictEqual(heard([[settled, "own"]], old).details.contradiction?.reference, "own")
  })
})

const closed = (operation: Operation, at = 50) =>
  withContradictionsClosed(operation, { at, by: "anna", reason: "Taken back from the float." })

describe("what operators have closed", () => {
  it("is kept with who, when and why, and nothing of it is open", () => {
    const all = closed(
      heard([
        [settled, "own"],
        [away, null]
      ])
    )
    assert.deepStrictEqual(contradictionsOf(all), [])
    assert.isUndefined(all.details.contradiction)
    const word = { status: "FAILED", closed_at: 50, closed_by: "anna", reason: "Taken back from the float." }
    assert.deepStrictEqual(closedContradictionsOf(all), [
      { said: "settled", at: 0, reference: "own", moved: true, ...word },
      { said: "on its way", at: 1, moved: false, ...word }
    ])
  })

  it("is not opened by the same, and is by other words, another order, or that money has moved", () => {
    const all = closed(
      heard([
        [settled, "own"],
        [away, "first"]
      ])
    )
    for (const [said, of] of [
      [settled, "own"],
      [away, "first"]
    ] as const)
      assert.isUndefined(contradictedBy(all, said, 60, of))
    for (const [said, of] of [
      [{ said: "settled by 0x2", moved: true }, "own"],
      [settled, "first"],
      [settled, null],
      [away, "own"],
      [{ said: "denied", moved: false }, "first"],
      [{ ...away, moved: true }, "first"]
    ] as const) {
      const after = contradictedBy(all, said, 60, of) ?? assert.fail(`nobody is told: ${said.said} of ${of}`)
      assert.deepStrictEqual(saidOf(after), [[of ?? undefined, said.said]])
      assert.lengthOf(closedContradictionsOf(after), 2)
    }
  })

  it("is news again once the operation has become something else, or was resolved since", () => {
    const all = closed(heard([[settled, "own"]]))
    const returned: Operation = { ...all, status: "RETURNED" }
    assert.isDefined(contradictedBy(returned, settled, 60, "own"))
    const resolvedAt = (at: number): Operation => ({ ...all, details: { ...all.details, resolution: { at } } })
    assert.isUndefined(contradictedBy(resolvedAt(49), settled, 60, "own"))
    for (const at of [50, 51]) assert.isDefined(contradictedBy(resolvedAt(at), settled, 60, "own"))
  })

  it("is kept so many times at most, and what was forgotten is news", () => {
    const all = Array.from({ length: closedContradictionsMax + 1 }, (_, at) => `o-${at}`).reduce(
      (operation, of, at) => closed(heard([[settled, of]], operation), at),
      failed
    )
    assert.lengthOf(closedContradictionsOf(all), closedContradictionsMax)
    assert.isDefined(contradictedBy(all, settled, 999, "o-0"))
    assert.isUndefined(contradictedBy(all, settled, 999, "o-1"))
  })
})

describe("the ids of an order", () => {
  it("are all that it had: the booked one, those that operators had stated, and last what its provider had told", () => {
    const stated = (operation: Operation, id: string | null): Operation => ({
      ...operation,
      providerReference: id ?? operation.providerReference,
      details: { ...operation.details, ...keepTold(operation, id) }
    })
    const told: Operation = { ...bare, providerReference: "told" }
    const ids = ["a", "b", "b", null, "c", "a"].reduce(stated, told)
    assert.deepStrictEqual(orderIds(ids), ["a", "b", "c", "told"])
    assert.deepStrictEqual(orderIds(stated(ids, "told")), ["told", "a", "b", "c"])
    assert.deepStrictEqual(orderIds(["a", "b"].reduce(stated, { ...bare, providerReference: null })), ["b", "a"])
  })

  it("are our own reference, too, where its provider had told none and the chain has proven the transaction that it goes by", () => {
    const proven = { ...bare, providerReference: "0x1", txHash: "0x1" }
    for (const details of [{ told_reference: null }, {}])
      assert.deepStrictEqual(orderIds({ ...proven, details }), ["0x1", null])
    assert.deepStrictEqual(orderIds({ ...proven, details: { told_reference: "told" } }), ["0x1", "told"])
    assert.deepStrictEqual(orderIds({ ...proven, providerReference: "o-1", details: { told_reference: null } }), [
      "o-1"
    ])
  })
})
