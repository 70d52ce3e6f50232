import { makePerDayCounter } from "@bursar/signer/store/perDayCounter"
import { assert, describe, it } from "@effect/vitest"
import { signedAt, tenant } from "./support/storedView.ts"

const hour = 3_600_000

const now = 100 * 24 * hour

const place = { tenantId: tenant, network: "ethereum" }

const counted = (entries: ReadonlyArray<readonly [n: number, at: number, cost?: bigint]>) => {
  const counter = makePerDayCounter(({ feeMax = 0n }) => feeMax)
  for (const [n, at, feeMax = 1n] of entries) counter.add({ ...signedAt(n, at), feeMax })
  return counter
}

describe("what is limited within a day", () => {
  it("is not forgotten for signatures by a clock that was days ahead for a while", () => {
    const before = Array.from({ length: 10 }, (_, n) => [n, now - hour + n] as const)
    const ahead = [
      [100, now + 30 * hour],
      [101, now + 90 * hour],
      [102, now + 90 * hour]
    ] as const
    assert.strictEqual(counted([...before, ...ahead]).since(place, now - 24 * hour, []), 13n)
  })

  it("is over after a day, by tenant and network", () => {
    const counter = counted([
      [1, now - 25 * hour, 5n],
      [2, now - 23 * hour, 7n]
    ])
    assert.strictEqual(counter.since(place, now - 24 * hour, []), 7n)
    assert.strictEqual(counter.since(place, now - 22 * hour, []), 0n)
    assert.strictEqual(counter.since({ ...place, network: "bsc" }, now - 24 * hour, []), 0n)
  })

  it("counts what replaces another in its place, by the higher of both", () => {
    const counter = counted([
      [1, now - 25 * hour, 5n],
      [2, now - hour, 7n],
      [1, now, 3n]
    ])
    assert.strictEqual(counter.since(place, now - 24 * hour, []), 12n)
    assert.strictEqual(counter.since(place, now - 24 * hour, ["wallet:1"]), 7n)
    assert.strictEqual(counter.since(place, now - 24 * hour, ["wallet:2"]), 5n)
    assert.strictEqual(counter.since(place, now - 24 * hour, ["wallet:9"]), 12n)
  })

  it("is forgotten by how much there is since, and never too early for a day", () => {
    const minutes = 3_000
    const counter = counted(Array.from({ length: minutes }, (_, n) => [n, now + n * 60_000] as const))
    const last = now + (minutes - 1) * 60_000
    assert.strictEqual(counter.since(place, last - 24 * hour, []), 1_441n)
    assert.strictEqual(counter.since(place, 0, []), 1_500n)
    // what is forgotten is not counted, so nothing is taken off for it
    assert.strictEqual(counter.since(place, 0, ["wallet:1"]), 1_500n)
  })
})
