import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { meetingAfter } from "../../src/sweep/meeting.ts"

const moments = fc.integer({ min: 0, max: 10 ** 13 })
const waits = fc.integer({ min: 1, max: 10 ** 8 })

describe("the moments at which deposits meet", () => {
  it("come after any moment, and no later than the wait between them", () => {
    fc.assert(
      fc.property(moments, waits, (at, everyMs) => {
        const next = meetingAfter(at, everyMs)
        assert.isAbove(next, at)
        assert.isAtMost(next, at + everyMs)
      })
    )
  })

  it("are the same for all that waits, whenever it was looked at", () => {
    fc.assert(
      fc.property(moments, moments, waits, (one, other, everyMs) => {
        const [first, late] = [meetingAfter(Math.min(one, other), everyMs), meetingAfter(Math.max(one, other), everyMs)]
        // what is looked at again and again comes to each later one
        const early = first + Math.floor((late - first) / everyMs) * everyMs
        assert.strictEqual(early, late)
      })
    )
  })
})
