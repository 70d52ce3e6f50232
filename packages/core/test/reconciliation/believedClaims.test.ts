import { believedClaims } from "@bursar/core/reconciliation/statement/believedClaims"
import type { Compared } from "@bursar/core/reconciliation/statement/Statements"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"

const tenantId = TenantId("t1")
const one = { operationId: "one", tenantId }
const two = { operationId: "two", tenantId }

/** An on-ramp of 40 that lacks its line, and must have one. */
const came: Compared = {
  ...one,
  createdAt: 50,
  isOver: true,
  booked: 40n,
  bookedIn: 40n,
  bookedSince: 40n,
  correctedSince: 0n,
  bookedAt: 60,
  shown: 0n,
  shownIn: 0n
}

const line = (id: string, units: bigint, ...claims: ReadonlyArray<typeof one>) => ({ id, units, claims })

const judged = (lines: Parameters<typeof believedClaims>[0], ...operations: ReadonlyArray<Compared>) => {
  const { assigned, expected } = believedClaims(lines, operations, { toldFrom: 10, dueBefore: 100 })
  const shown = (all: Iterable<readonly [string, typeof one]>) =>
    [...all].map(([id, { operationId }]) => `${id} ${operationId}`)
  return [shown(assigned.map(({ about, lineId }) => [lineId, about] as const)), shown(expected)]
}

describe("what a line says of itself", () => {
  it("is believed where the operation lacks just that, in that direction", () => {
    assert.deepStrictEqual(judged([line("a", 40n, one)], came), [["a one"], []])
    assert.deepStrictEqual(judged([line("a", 39n, one), line("b", -40n, one)], came), [[], []])
    assert.deepStrictEqual(judged([line("a", 40n, two)], came), [[], []])
    assert.deepStrictEqual(judged([line("a", 40n, one)], { ...came, shown: 40n, shownIn: 40n }), [[], []])
    const paidTwice = { ...came, booked: -40n, bookedIn: 0n, shown: -80n }
    assert.deepStrictEqual(judged([line("a", 40n, one)], paidTwice), [[], []], "nothing of that came")
    const returned = { ...came, booked: 0n, shown: -40n }
    assert.deepStrictEqual(judged([line("a", 40n, one), line("b", -40n, one)], returned), [["a one"], []])
  })

  it("is believed of one line only, and of the operation among several that lacks it", () => {
    assert.deepStrictEqual(judged([line("a", 40n, one), line("b", 40n, one)], came), [["a one"], []])
    const other = { ...came, ...two, booked: 7n, bookedIn: 7n }
    assert.deepStrictEqual(judged([line("a", 7n, one, two), line("b", 40n, one, two)], came, other), [
      ["b one", "a two"],
      []
    ])
  })

  it("is believed of lines that come to it together, and of none of them where another joins them", () => {
    const parts = [line("a", 30n, one), line("b", 10n, one)]
    assert.deepStrictEqual(judged(parts, came), [["a one", "b one"], []])
    assert.deepStrictEqual(judged([...parts, line("c", 1n, one)], came), [[], []])
    assert.deepStrictEqual(judged([...parts, line("c", 40n, one)], came), [["c one"], []])
  })

  it("is only expected before the operation must have its line, and never where it may have had it before all statements", () => {
    assert.deepStrictEqual(judged([line("a", 40n, one)], { ...came, bookedAt: 100 }), [[], ["a one"]])
    assert.deepStrictEqual(judged([line("a", 40n, one)], { ...came, createdAt: 9 }), [[], []])
    const nothing = { ...came, booked: 0n, bookedIn: 0n, bookedSince: 0n, bookedAt: null }
    assert.deepStrictEqual(judged([line("a", 40n, one)], nothing), [[], []])
  })

  it("is looked up by the operation: of many lines that name their own orders, each is looked at a few times", () => {
    const count = 2_000
    let looks = 0
    const orders = Array.from({ length: count }, (_, at) => ({ ...came, operationId: `o${at}` }))
    const lines = orders.map(({ operationId }, at) => ({
      id: `l${at}`,
      get units() {
        looks += 1
        return 40n
      },
      get claims() {
        looks += 1
        return [{ operationId, tenantId }]
      }
    }))
    const { assigned } = believedClaims(lines, orders, { toldFrom: 10, dueBefore: 100 })
    assert.lengthOf(assigned, count)
    assert.isAtMost(looks, 10 * count)
  })
})
