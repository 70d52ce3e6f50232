import { backoffMs, keyOfProvider, ownIdOf, schedule, unschedule } from "@bursar/core/engine/Job"
import { assert, describe, it } from "@effect/vitest"

describe("a job", () => {
  it("is scheduled for a moment, and taken off its queue", () => {
    assert.deepStrictEqual(schedule("send", "a", 7), { _tag: "Scheduled", queue: "send", key: "a", dueAt: 7 })
    assert.deepStrictEqual(unschedule("send", "a"), { _tag: "Scheduled", queue: "send", key: "a", dueAt: null })
  })

  it.each([
    ["bank-7", "bank-7|own"],
    ["bank|7", "bank|7|own"],
    [null, "own"]
  ])("is found by what a provider calls it: %s", (providersId, key) => {
    assert.strictEqual(keyOfProvider(providersId, "own"), key)
    assert.strictEqual(ownIdOf(key), "own")
  })

  it.each([
    [0, 1_000],
    [4_000, 1_000],
    [4_004, 1_001],
    [4_007, 1_001],
    [40_000, 10_000],
    [40_004, 10_000]
  ])("rests for a quarter of its age, within bounds: after %i ms for %i ms", (age, rest) => {
    assert.strictEqual(backoffMs(age, 1_000, 10_000), rest)
  })
})
