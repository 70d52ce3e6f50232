import { type Span, totalSpans } from "@bursar/postgres/queries/totalSpans"
import { dayMs, hourMs } from "@bursar/postgres/storage/totals"
import { assert, describe, it } from "@effect/vitest"

/** Moments at, before and after where hours and days begin. */
const moments = [0, hourMs, 5 * hourMs, dayMs, dayMs + hourMs, 2 * dayMs, 3 * dayMs - hourMs].flatMap((at) => [
  at + 1,
  at + hourMs / 2,
  at + hourMs - 1,
  at + hourMs
])

const spans: ReadonlyArray<Span> = [undefined, ...moments].flatMap((since) =>
  [undefined, ...moments].map((until) => ({ since, until }))
)

const covers = ({ since, until }: Span, at: number): boolean =>
  (since === undefined || since <= at) && (until === undefined || at < until)

describe("the parts of a span", () => {
  it("cover each of its moments once, and no other", () => {
    for (const span of spans) {
      const { days, hours, rest } = totalSpans(span)
      for (const at of moments) {
        const times = [...days, ...hours, ...rest].filter((part) => covers(part, at)).length
        assert.strictEqual(times, covers(span, at) ? 1 : 0, JSON.stringify({ span, at }))
      }
    }
  })

  it("are whole days and hours, but for less than two hours", () => {
    for (const span of spans) {
      const { days, hours, rest } = totalSpans(span)
      const isWhole = (parts: ReadonlyArray<Span>, step: number) =>
        parts.every(({ since = 0, until = 0 }) => since % step === 0 && until % step === 0)
      assert.isTrue(isWhole(days, dayMs) && isWhole(hours, hourMs), JSON.stringify(span))
      const left = rest.reduce((all, { since = -Infinity, until = Infinity }) => all + until - since, 0)
      assert.isBelow(left, 2 * hourMs, JSON.stringify(span))
    }
  })
})
