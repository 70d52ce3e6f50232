import { legMomentToIso, parseLegMoment } from "@bursar/core/ledger/LegMoment"
import { assert, describe, it } from "@effect/vitest"

const at = Date.UTC(2026, 2, 3, 4, 5, 6, 789)

describe("LegMoment", () => {
  it("every leg of a millisecond has a moment of its own, which is read as it was written", () => {
    const texts = [0, 1, 499, 999_999].map((nth) => legMomentToIso({ at, nth }))
    assert.deepStrictEqual(texts, [
      "2026-03-03T04:05:06.789Z",
      "2026-03-03T04:05:06.789000001Z",
      "2026-03-03T04:05:06.789000499Z",
      "2026-03-03T04:05:06.789999999Z"
    ])
    assert.deepStrictEqual(texts.map(parseLegMoment), [
      { at, nth: 0 },
      { at, nth: 1 },
      { at, nth: 499 },
      { at, nth: 999_999 }
    ])
  })

  it("reads any fraction and any offset", () => {
    assert.deepStrictEqual(parseLegMoment("2026-03-03T05:05:06.789+01:00"), { at, nth: 0 })
    assert.deepStrictEqual(parseLegMoment("2026-03-03T04:05:06.7891Z"), { at, nth: 100_000 })
    assert.deepStrictEqual(parseLegMoment("2026-03-03T04:05:06.7890000011Z"), { at, nth: 2 })
    assert.deepStrictEqual(parseLegMoment("2026-03-03T04:05:06Z"), { at: at - 789, nth: 0 })
  })
})
