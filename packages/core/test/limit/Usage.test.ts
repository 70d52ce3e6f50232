import { addUsage, bucketMs, type Usage, usedCents } from "@bursar/core/limit/Usage"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"

const day = 86_400_000
const start = 1_700_000_100_000

describe("the usage of a rolling limit", () => {
  it("counts what was used within the window, and what is partly in it whole", () => {
    const usage = addUsage(undefined, "x", { at: start, cents: 10n }, day, start)
    assert.strictEqual(usedCents(usage, day, start), 10n)
    assert.strictEqual(usedCents(usage, day, start + day), 10n)
    assert.strictEqual(usedCents(usage, day, start + day + bucketMs), 0n)
  })

  it("gives back to the bucket in which it was used", () => {
    const used = addUsage(undefined, "x", { at: start, cents: 10n }, day, start)
    const more = addUsage(used, "x", { at: start + 3_600_000, cents: 7n }, day, start + 3_600_000)
    const back = addUsage(more, "x", { at: start, cents: -10n }, day, start + 7_200_000)
    assert.deepStrictEqual(
      back.buckets.map(({ cents }) => cents),
      [7n]
    )
  })

  it("never counts less than was used within the window, nor more than was used within the window and one bucket", () => {
    const uses = fc.array(fc.record({ after: fc.integer({ min: 0, max: 3 * day }), cents: fc.bigInt(1n, 1000n) }), {
      maxLength: 40
    })
    fc.assert(
      fc.property(uses, (list) => {
        const sorted = list.toSorted((one, other) => one.after - other.after)
        const now = start + (sorted.at(-1)?.after ?? 0)
        const usage = sorted.reduce<Usage | undefined>(
          (all, { after, cents }) => addUsage(all, "x", { at: start + after, cents }, day, start + after),
          undefined
        )
        const within = (windowMs: number) =>
          sorted.filter(({ after }) => start + after > now - windowMs).reduce((sum, { cents }) => sum + cents, 0n)
        const used = usedCents(usage, day, now)
        assert.isTrue(used >= within(day) && used <= within(day + bucketMs))
      })
    )
  })
})
