import { schedule } from "@bursar/core/engine/Job"
import type { Command } from "@bursar/core/engine/Command"
import { Writer } from "@bursar/core/engine/Writer"
import { Fenced } from "@bursar/core/port/Leadership"
import { emptyState } from "@bursar/memory"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { past } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { workQueue } from "../../src/queue/workQueue.ts"
import { processOver, ticks } from "../watch/world.ts"

const queue = "withdrawal"

/** Puts jobs into the queue, as a command of a tenant does. */
const putting = Effect.fnUntraced(function* (keys: ReadonlyArray<string>) {
  const { id } = yield* newTenant()
  const command: Command<undefined> = {
    name: "test.schedule",
    reads: [],
    decide: () => Result.succeed({ changes: keys.map((key) => schedule(queue, key, past)), reply: undefined })
  }
  yield* (yield* Writer).submit(id, command)
})

describe("a queue of which one job waits for an answer", () => {
  it.effect("has all others worked on again and again meanwhile, and that one never twice at a time", () => {
    const answers = Deferred.makeUnsafe<void>()
    const begun: Array<string> = []
    return Effect.gen(function* () {
      yield* TestClock.setTime(past)
      yield* putting(["slow", "quick"])
      const work = workQueue({
        name: "provider",
        queues: [queue],
        handle: (_fence, { key }) =>
          Effect.suspend(() => {
            begun.push(key)
            return key === "slow" ? Deferred.await(answers) : Effect.void
          })
      })
      yield* Effect.forkScoped(work)
      yield* ticks(10)
      assert.strictEqual(begun.filter((key) => key === "slow").length, 1)
      const before = begun.length
      assert.isAbove(before, 5)
      yield* putting(["late"])
      yield* ticks(2)
      assert.include(begun, "late")
      yield* Deferred.succeed(answers, undefined)
      yield* ticks(2)
      assert.isAbove(begun.filter((key) => key === "slow").length, 1)
    }).pipe(Effect.provide(processOver(emptyState())))
  })

  it.effect("keeps nothing of another queue from being worked on, however many of it wait", () => {
    const other = "transfer"
    const begun = Deferred.makeUnsafe<void>()
    return Effect.gen(function* () {
      yield* TestClock.setTime(past)
      const { id } = yield* newTenant()
      const put = (to: string, keys: ReadonlyArray<string>) =>
        Effect.flatMap(Writer, (writer) => {
          const changes = keys.map((key) => schedule(to, key, past))
          return writer.submit(id, {
            name: "test.schedule",
            reads: [],
            decide: () => Result.succeed({ changes, reply: undefined })
          })
        })
      yield* put(
        queue,
        Array.from({ length: 50 }, (_, index) => `check-${index}`)
      )
      yield* Effect.forkScoped(
        workQueue({
          name: "provider",
          queues: [other, queue],
          handle: (_fence, item) => (item.queue === queue ? Effect.never : Deferred.succeed(begun, undefined))
        })
      )
      yield* ticks(2)
      yield* put(other, ["payout"])
      yield* ticks(2)
      assert.isTrue(yield* Deferred.isDone(begun))
    }).pipe(Effect.provide(processOver(emptyState())))
  })

  it.effect("has only so many worked on at once", () => {
    let now = 0
    let most = 0
    return Effect.gen(function* () {
      yield* TestClock.setTime(past)
      yield* putting(["one", "two", "three"])
      yield* putting(["four", "five"])
      const work = workQueue({
        name: "provider",
        queues: [queue],
        limits: { idleMs: 250, itemsMax: 500, concurrency: 2 },
        handle: () =>
          Effect.acquireUseRelease(
            Effect.sync(() => {
              now += 1
              most = Math.max(most, now)
            }),
            () => Effect.sleep("3 seconds"),
            () => Effect.sync(() => void (now -= 1))
          )
      })
      yield* Effect.forkScoped(work)
      yield* ticks(20)
      assert.strictEqual(most, 2)
    }).pipe(Effect.provide(processOver(emptyState())))
  })

  it.effect("has those of others worked on, however many of one tenant wait", () => {
    const begun: Array<string> = []
    return Effect.gen(function* () {
      yield* TestClock.setTime(past)
      yield* putting(["a", "b", "c", "d", "e", "f"])
      const work = workQueue({
        name: "provider",
        queues: [queue],
        limits: { idleMs: 250, itemsMax: 3, concurrency: 2 },
        handle: (_fence, { key }) =>
          Effect.suspend(() => {
            begun.push(key)
            return key === "other" ? Effect.void : Effect.never
          })
      })
      yield* Effect.forkScoped(work)
      yield* ticks(3)
      yield* putting(["other"])
      yield* ticks(3)
      assert.include(begun, "other")
    }).pipe(Effect.provide(processOver(emptyState())))
  })

  it.effect("is left, with all that is under way, where another process leads", () => {
    let interrupted = 0
    let begun = 0
    return Effect.gen(function* () {
      yield* TestClock.setTime(past)
      yield* putting(["slow", "deposed"])
      const work = workQueue({
        name: "provider",
        queues: [queue],
        handle: (fence, { key }) =>
          key === "deposed"
            ? Effect.fail(new Fenced({ name: fence.name }))
            : Effect.onInterrupt(
                Effect.andThen(
                  Effect.sync(() => void (begun += 1)),
                  Effect.never
                ),
                () => Effect.sync(() => void (interrupted += 1))
              )
      })
      const fiber = yield* Effect.forkScoped(work)
      yield* ticks(5)
      assert.isAbove(begun, 0)
      assert.isAtLeast(interrupted, begun - 1)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(interrupted, begun)
    }).pipe(Effect.provide(processOver(emptyState())))
  })
})
