import { StorageError } from "@bursar/core/engine/StorageError"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { apart, lastingFailuresRemembered, unlessStorageFails } from "../../src/queue/apart.ts"

/** Tells how often it was told that something failed. */
const counting = () => {
  const logged: Array<string> = []
  const log = Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])
  return { log, told: (event = "job.failed") => logged.filter((line) => line.includes(event)).length }
}

const about = { queue: "q", key: "k" }
const fails = (problem: string, of = about) => apart(of, Effect.die(new Error(problem)))

describe("what fails by a defect", () => {
  it.effect("is told when it begins, when it fails otherwise or after it had worked, and once an hour", () => {
    const { log, told } = counting()
    return Effect.gen(function* () {
      for (let times = 0; times < 5; times++) assert.isUndefined(yield* fails("unreadable"))
      assert.strictEqual(told(), 1)
      yield* fails("unreadable", { ...about, key: "other" })
      assert.strictEqual(told(), 2)
      for (let times = 0; times < 2; times++) yield* fails("another problem")
      assert.strictEqual(told(), 3)
      assert.strictEqual(yield* apart(about, Effect.succeed(7)), 7)
      yield* fails("another problem")
      assert.strictEqual(told(), 4)
      yield* TestClock.adjust("1 hour")
      for (let times = 0; times < 2; times++) yield* fails("another problem")
      assert.strictEqual(told(), 5)
    }).pipe(lastingFailuresRemembered, Effect.provide(log))
  })

  it.effect("is told each time where nobody remembers", () => {
    const { log, told } = counting()
    return Effect.gen(function* () {
      for (let times = 0; times < 3; times++) yield* fails("unreadable")
      assert.strictEqual(told(), 3)
    }).pipe(Effect.provide(log))
  })
})

describe("what the storage fails in", () => {
  const away = Effect.fail(new StorageError({ doing: "read", cause: new Error("away") }))

  it.effect("is told once until it works again, which is told too, and once an hour", () => {
    const { log, told } = counting()
    const both = () => [told("storage.failed"), told("storage.works_again")]
    return Effect.gen(function* () {
      assert.strictEqual(yield* unlessStorageFails(about, Effect.succeed(7)), 7)
      assert.deepStrictEqual(both(), [0, 0])
      for (let times = 0; times < 5; times++) assert.isUndefined(yield* unlessStorageFails(about, away))
      yield* unlessStorageFails({ ...about, key: "other" }, Effect.void)
      assert.deepStrictEqual(both(), [1, 0])
      yield* TestClock.adjust("1 hour")
      for (let times = 0; times < 2; times++) yield* unlessStorageFails(about, away)
      assert.deepStrictEqual(both(), [2, 0])
      for (let times = 0; times < 2; times++) yield* unlessStorageFails(about, Effect.void)
      assert.deepStrictEqual(both(), [2, 1])
      yield* unlessStorageFails(about, away)
      assert.deepStrictEqual(both(), [3, 1])
    }).pipe(lastingFailuresRemembered, Effect.provide(log))
  })

  it.effect("is told each time where nobody remembers", () => {
    const { log, told } = counting()
    return Effect.gen(function* () {
      for (let times = 0; times < 3; times++) yield* unlessStorageFails(about, away)
      assert.strictEqual(told("storage.failed"), 3)
    }).pipe(Effect.provide(log))
  })
})
