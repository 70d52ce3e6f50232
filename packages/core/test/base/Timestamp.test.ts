import { timestampMax, timestampMin, toIso } from "@bursar/core/base/Timestamp"
import { assert, it } from "@effect/vitest"
import fc from "fast-check"

const dateMax = 8.64e15

/** The moment that is told: years have four digits. */
const told = (at: number) => Math.min(Math.max(at, timestampMin), timestampMax)

it("is written as a date writes it, whatever moment was written before", () => {
  const moments = fc.oneof(
    fc.integer({ min: 1_700_000_000_000, max: 1_700_200_000_000 }),
    fc.integer({ min: -100_000_000, max: 100_000_000 }),
    fc.maxSafeInteger(),
    fc.double({ min: -dateMax, max: dateMax, noNaN: true }),
    fc.constantFrom(0, -0, -1, 86_399_999, 86_400_000, -86_400_000, dateMax, -dateMax, 253_402_300_800_000)
  )
  fc.assert(
    fc.property(
      fc.array(
        moments.filter((at) => Math.abs(at) <= dateMax),
        { minLength: 1 }
      ),
      (some) => {
        for (const at of some) assert.strictEqual(toIso(at), new Date(told(at)).toISOString())
      }
    )
  )
})

it("is written in years of four digits, the nearest where it is of another", () => {
  assert.deepStrictEqual([timestampMin, timestampMax].map(toIso), [
    "0000-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z"
  ])
  assert.deepStrictEqual([timestampMin - 1, timestampMax + 1].map(toIso), [timestampMin, timestampMax].map(toIso))
  assert.deepStrictEqual([-dateMax, dateMax].map(toIso), [timestampMin, timestampMax].map(toIso))
})

it("is not written where no date is", () => {
  for (const at of [Number.NaN, Number.POSITIVE_INFINITY, dateMax + 1, -dateMax - 1])
    assert.throws(() => toIso(at), RangeError)
})

it("is written in each second and millisecond of a day as a date writes it", () => {
  const day = 1_700_006_400_000
  for (let second = 0; second < 86_400; second += 59) {
    const at = day + second * 1_000 + (second % 1_000)
    assert.strictEqual(toIso(at), new Date(at).toISOString())
  }
})
