import { consumeEvents, type CursorStore, memoryCursorStore } from "@bursar/client/effect"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import { event } from "../support/samples.ts"

/** A feed that holds these events, and whatever is added. */
const feedOf = (...ids: ReadonlyArray<number>) => {
  const events = ids.map(event)
  const asked: Array<number> = []
  return {
    asked,
    add: (id: number) => void events.push(event(id)),
    list: ({ after, limit }: { readonly after: number; readonly limit: number }) =>
      Effect.sync(() => {
        asked.push(after)
        const page = events.filter(({ id }) => id > after).slice(0, limit)
        return { events: page, next_after: page.at(-1)?.id ?? null }
      })
  }
}

const mayPass = () => true

describe("a consumer of events", () => {
  it.effect("hands over every event in order, from where the store says on, page by page", () =>
    Effect.gen(function* () {
      const feed = feedOf(1, 2, 3, 4, 5)
      const handled: Array<number> = []
      const store = memoryCursorStore(1)
      const handle = ({ id }: { readonly id: number }) => Effect.sync(() => void handled.push(id))
      const fiber = yield* Effect.forkChild(consumeEvents({ list: feed.list, store, handle, mayPass, pageSize: 2 }))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(handled, [2, 3, 4, 5])
      assert.deepStrictEqual(feed.asked, [1, 3, 5])
      feed.add(6)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(handled, [2, 3, 4, 5, 6])
      assert.strictEqual(yield* Effect.promise(store.load), 6)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("moves the cursor only after the handler, and brings an event again whose handler has failed", () =>
    Effect.gen(function* () {
      const feed = feedOf(1, 2)
      const order: Array<string> = []
      const store: CursorStore = {
        load: () => Promise.resolve(undefined),
        save: async (cursor) => void order.push(`save ${cursor}`)
      }
      let failures = 2
      const told: Array<string> = []
      const handle = ({ id }: { readonly id: number }) =>
        Effect.suspend(() => {
          order.push(`handle ${id}`)
          if (id === 1 && failures > 0) {
            failures -= 1
            return Effect.fail("not now")
          }
          return Effect.void
        })
      const onFailure = (error: string, failed: { readonly id: number } | undefined) =>
        Effect.sync(() => void told.push(`${error} ${failed?.id}`))
      const fiber = yield* Effect.forkChild(consumeEvents({ list: feed.list, store, handle, mayPass, onFailure }))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(order, ["handle 1"])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(order, ["handle 1", "handle 1"])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(order, ["handle 1", "handle 1", "handle 1", "save 1", "handle 2", "save 2"])
      assert.deepStrictEqual(told, ["not now 1", "not now 1"])
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("waits at least as long as a failure asks for, up to the bound", () =>
    Effect.gen(function* () {
      let reads = 0
      const list = () => Effect.suspend(() => Effect.fail({ askedMs: (reads += 1) === 1 ? 30_000 : 90_000 }))
      const handle = () => Effect.void
      const retryAfterMs = ({ askedMs }: { readonly askedMs: number }) => askedMs
      const fiber = yield* Effect.forkChild(
        consumeEvents({ list, store: memoryCursorStore(), handle, mayPass, retryAfterMs })
      )
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(reads, 1)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(reads, 2)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(reads, 2)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(reads, 3)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("waits longer after each failure to read, up to a bound, and goes on", () =>
    Effect.gen(function* () {
      let reads = 0
      const list = () => Effect.suspend(() => Effect.fail(`down ${(reads += 1)}`))
      const store = memoryCursorStore()
      const handle = () => Effect.void
      const fiber = yield* Effect.forkChild(consumeEvents({ list, store, handle, mayPass, failureDelayMsMax: 4_000 }))
      yield* TestClock.adjust("1 second")
      assert.strictEqual(reads, 2)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(reads, 3)
      yield* TestClock.adjust("16 seconds")
      assert.isAtLeast(reads, 3 + 4)
      assert.isAtMost(reads, 3 + 8)
      yield* Fiber.interrupt(fiber)
    })
  )

  it.effect("ends where the feed refuses for good, and where the store fails", () =>
    Effect.gen(function* () {
      const handle = () => Effect.void
      const refused = consumeEvents({
        list: () => Effect.fail("key_invalid"),
        store: memoryCursorStore(),
        handle,
        mayPass: () => false
      })
      assert.strictEqual(yield* Effect.flip(refused), "key_invalid")
      const { list } = feedOf(1)
      const save = () => Promise.reject(new Error("disk full"))
      const store = { load: () => Promise.resolve(undefined), save }
      const failed = yield* Effect.flip(consumeEvents({ list, store, handle, mayPass }))
      assert.include(String(failed), "disk full")
    })
  )

  it.effect("looks for events at once when it is nudged, also where the nudge comes before it waits", () =>
    Effect.gen(function* () {
      const feed = feedOf()
      const handled: Array<number> = []
      const nudges = yield* Queue.sliding<void>(1)
      const handle = ({ id }: { readonly id: number }) =>
        Effect.sync(() => {
          handled.push(id)
          if (id === 1) feed.add(2)
        })
      const consumer = consumeEvents({
        ...{ list: feed.list, store: memoryCursorStore(), handle, mayPass, nudges },
        pollIntervalMs: 3_600_000
      })
      const fiber = yield* Effect.forkChild(consumer)
      yield* TestClock.adjust(0)
      feed.add(1)
      yield* Queue.offer(nudges, undefined)
      yield* Queue.offer(nudges, undefined)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(handled, [1, 2])
      const exit = yield* Effect.exit(Effect.andThen(Fiber.interrupt(fiber), Fiber.join(fiber)))
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause))
    })
  )
})
