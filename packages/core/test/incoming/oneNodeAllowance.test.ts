import { firstCounted, minuteOf, withinAllowance } from "@bursar/core/incoming/oneNodeAllowance"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const hour = 3_600_000

/** Rounds of amounts that a node claims, each some time after the one before. */
const rounds = fc.array(
  fc.record({
    afterMs: fc.nat({ max: hour }),
    wanted: fc.array(fc.bigInt({ min: 1n, max: 400n }), { maxLength: 6 })
  }),
  { maxLength: 40 }
)

/** What of all rounds was credited, and when; of earlier credits only the minutes are known that a store still has. */
const lived = (
  all: ReadonlyArray<{ readonly afterMs: number; readonly wanted: ReadonlyArray<bigint> }>,
  units: bigint,
  windowMs: number
) => {
  const credited: Array<{ readonly at: number; readonly units: bigint }> = []
  let now = Date.UTC(2026, 0, 1)
  for (const { afterMs, wanted } of all) {
    now += afterMs
    const known = credited
      .map((one) => ({ minute: minuteOf(one.at), units: one.units }))
      .filter(({ minute }) => minute >= firstCounted(now, windowMs))
    const fits = withinAllowance(known, wanted, { now, units, windowMs })
    wanted.forEach((amount, at) => {
      if (fits[at] === true) credited.push({ at: now, units: amount })
    })
  }
  return credited
}

describe("the allowance of one node", () => {
  it("is never exceeded in any stretch of time as long as its window, however many amounts are claimed", () => {
    fc.assert(
      fc.property(
        rounds,
        fc.bigInt({ min: 0n, max: 2_000n }),
        fc.integer({ min: 60_000, max: 5 * hour }),
        (all, units, windowMs) => {
          const credited = lived(all, units, windowMs)
          for (const { at } of credited) {
            const inWindow = credited.filter((one) => one.at <= at && one.at >= at - windowMs)
            assert.isTrue(inWindow.reduce((sum, one) => sum + one.units, 0n) <= units)
          }
        }
      )
    )
  })

  it("is there again a minute after its window at the latest, and lets smaller amounts through beside one that is too much", () => {
    const allowance = { units: 100n, windowMs: hour }
    const at = Date.UTC(2026, 0, 1, 12, 0, 59)
    const used = [{ minute: minuteOf(at), units: 90n }]
    assert.deepStrictEqual(withinAllowance(used, [11n, 10n, 1n], { ...allowance, now: at }), [false, true, false])
    assert.deepStrictEqual(withinAllowance(used, [100n], { ...allowance, now: at + hour }), [false])
    assert.deepStrictEqual(withinAllowance(used, [100n], { ...allowance, now: at + hour + 60_000 }), [true])
    // the clock of the one before was ahead
    assert.deepStrictEqual(withinAllowance(used, [11n], { ...allowance, now: at - hour }), [false])
  })
})
