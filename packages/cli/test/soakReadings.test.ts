import { assert, describe, it } from "@effect/vitest"
import { judgeReadings } from "../soak/readings.ts"

const spent = [
  { from: 10, to: 20, units: 5n },
  { from: 30, to: 60, units: 7n }
]
const problems = (...readings: Parameters<typeof judgeReadings>[2]) => judgeReadings(100n, spent, readings).length

describe("what was told to be available while payments were made", () => {
  it("may be from before or after a payment that was on its way, and is nothing else", () => {
    assert.strictEqual(problems({ from: 0, to: 5, available: 100n }), 0)
    for (const available of [100n, 95n]) assert.strictEqual(problems({ from: 0, to: 15, available }), 0)
    for (const available of [95n, 88n]) assert.strictEqual(problems({ from: 40, to: 50, available }), 0)
    assert.strictEqual(problems({ from: 61, to: 62, available: 88n }), 0)
  })

  it("lacks what was acknowledged before it was asked for", () => {
    assert.strictEqual(problems({ from: 21, to: 25, available: 100n }), 1)
    assert.strictEqual(problems({ from: 61, to: 62, available: 95n }), 1)
  })

  it("does not lack what nobody had asked for yet", () => {
    assert.strictEqual(problems({ from: 21, to: 25, available: 88n }), 1)
    assert.strictEqual(problems({ from: 0, to: 5, available: 99n }), 1)
  })

  it("never rises", () => {
    const [low, high] = [
      { from: 35, to: 40, available: 88n },
      { from: 41, to: 45, available: 95n }
    ]
    assert.strictEqual(problems(low, high), 1)
    // which of two that overlap was first is not known
    assert.strictEqual(problems(low, { ...high, from: 39 }), 0)
  })
})
