import { of } from "@bursar/core/money/Amount"
import { assert, describe, it } from "@effect/vitest"
import { judgeCooling } from "../src/judge/judgeCooling.ts"
import type { World } from "../src/world/World.ts"

const hour = 3_600_000

type Destined = World["records"]["destined"][number]

const granted = (address: string, at: number, usableFrom: number, more: Partial<Destined> = {}) =>
  ({ tenant: 0, at, currency: "USDT_ETH", address, usableFrom, ...more }) as Destined // it stays one of an address

/** What is said of a payment to an address at a moment, where clocks differ by a minute at most. */
const judged = (destined: ReadonlyArray<Destined>, address: string, at: number) =>
  judgeCooling({
    exchange: { carriedOut: [{ reference: "w", paid: of(1n, "USDT_ETH"), received: null, address, fee: null, at }] },
    records: { destined, skewMs: 60_000 }
  } as unknown as World) // all of it that is looked at

describe("the judge of destinations", () => {
  it("lets none receive before its waiting time is over", () => {
    const destined = [{ tenant: 0, at: 0, hours: 2 }, granted("a", hour, hour)]
    assert.lengthOf(judged(destined, "a", 3 * hour - 121_000), 1)
    assert.deepStrictEqual(judged(destined, "a", 3 * hour - 120_000), [])
  })

  it("counts a waiting time that was shortened until it is over", () => {
    const destined = [{ tenant: 0, at: 0, hours: 9 }, { tenant: 0, at: hour, hours: 1 }, granted("a", hour, hour)]
    assert.lengthOf(judged(destined, "a", 9 * hour), 1)
    assert.deepStrictEqual(judged(destined, "a", 10 * hour), [])
  })

  it("lets none receive once another that was granted later does", () => {
    const destined = [granted("a", 0, 0), granted("b", 0, hour)]
    assert.deepStrictEqual(judged(destined, "a", hour + 180_000), [])
    assert.match(judged(destined, "a", hour + 180_001)[0] ?? "", /after another took its place/u)
    assert.deepStrictEqual(judged(destined, "b", 2 * hour), [])
  })

  it("takes no destination of another partner or currency for one that takes its place", () => {
    for (const other of [{ tenant: 1 }, { currency: "ETH" }])
      assert.deepStrictEqual(judged([granted("a", 0, 0), granted("b", 0, hour, other)], "a", 9 * hour), [])
  })

  it("says nothing of what was granted by nobody here, which another judge does", () => {
    assert.deepStrictEqual(judged([], "x", 1), [])
  })
})
