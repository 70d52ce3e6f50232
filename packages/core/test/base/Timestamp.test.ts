import { toIso } from "@bursar/core/base/Timestamp"
import { assert, it } from "@effect/vitest"
import fc from "fast-check"

const dateMax = 8.64e15

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
        for (const at of some) assert.strictEqual(toIso(at), new Date(at).toISOString())
      }
    )
  )
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
