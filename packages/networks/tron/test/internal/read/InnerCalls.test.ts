import { assert, describe, it } from "@effect/vitest"
import { makeInnerCalls, type Shown } from "../../../src/internal/read/InnerCalls.ts"

const silent = (calls: number): Shown => ({ listed: false, hidden: false, calls })

describe("what blocks show of whether inner calls are listed", () => {
  it("is nothing by a few calls that show none, and something by thousands of them", () => {
    const inner = makeInnerCalls()
    for (let number = 1; number < 50; number += 1) inner.observe(number, [silent(60), silent(40)])
    assert.isUndefined(inner.unseen())
    inner.observe(50, [silent(100)])
    assert.match(inner.unseen() ?? "", /saveInternalTx/u)
  })

  it("is begun anew by every block that lists some", () => {
    const inner = makeInnerCalls()
    inner.observe(1, [silent(4_999)])
    inner.observe(2, [{ ...silent(1), listed: true }])
    inner.observe(3, [silent(4_999)])
    assert.isUndefined(inner.unseen())
  })

  it("is not told by blocks of before, which may be from before the node was set up", () => {
    const inner = makeInnerCalls()
    inner.observe(9, [{ ...silent(1), listed: true }])
    inner.observe(8, [{ ...silent(1), hidden: true }])
    assert.isUndefined(inner.unseen())
    inner.observe(10, [{ ...silent(1), hidden: true }])
    inner.observe(7, [{ ...silent(1), listed: true }])
    assert.isDefined(inner.unseen())
  })
})
