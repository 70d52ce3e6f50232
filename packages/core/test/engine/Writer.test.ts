import type { Command } from "@bursar/core/engine/Command"
import * as Writer from "@bursar/core/engine/Writer"
import { Storage } from "@bursar/core/engine/Storage"
import { StorageError } from "@bursar/core/engine/StorageError"
import { TenantId } from "@bursar/core/tenant/Tenant"
import { broken, looking } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Queue, Result } from "effect"
import { TestClock } from "effect/testing"
import { readRecord } from "@bursar/core/engine/Records"
import { IdempotencyRecord } from "@bursar/core/idempotency/IdempotencyRecord"

const tenant = TenantId("01902f4e-0000-7000-8000-000000000001")
const another = TenantId("01902f4e-0000-7000-8000-000000000002")

/** A commit that waits for the test to say how it ends. */
interface Commit {
  readonly tenantId: TenantId
  readonly names: ReadonlyArray<string>
  readonly now: number
  readonly newId: () => string
  readonly momentAfter: (lastAt: number) => number
  /** Ends it: with one exit per command, its name, or with a failure as a whole. */
  readonly end: (failure?: StorageError) => Effect.Effect<void>
}

const named = (name: string, reads = 0): Command<string> => ({
  name,
  reads: Array.from({ length: reads }, (_, index) => readRecord(IdempotencyRecord, String(index))),
  decide: () => Result.succeed({ changes: [], reply: name })
})

/** A Writer over a storage that hands its commits to the test. */
const setUp = Effect.gen(function* () {
  const commits = yield* Queue.unbounded<Commit>()
  const pending: Array<Commit> = []
  let closing = false
  const storage = Storage.of({
    commit: Effect.fnUntraced(function* (tenantId, commands, { momentAfter, newId, now }) {
      const ended = yield* Deferred.make<ReadonlyArray<Exit.Exit<unknown>>, StorageError>()
      const names = commands.map(({ name }) => name)
      const commit: Commit = {
        tenantId,
        names,
        now,
        newId,
        momentAfter: momentAfter ?? assert.fail("it says no moment"),
        end: (failure) =>
          Effect.asVoid(
            failure === undefined
              ? Deferred.succeed(
                  ended,
                  names.map((name) => (name === "Broken" ? Exit.die(new Error("broken")) : Exit.succeed(name)))
                )
              : Deferred.fail(ended, failure)
          )
      }
      pending.push(commit)
      if (closing) yield* commit.end()
      yield* Queue.offer(commits, commit)
      return yield* Deferred.await(ended)
    })
  })
  const context = yield* Layer.build(Layer.fresh(Writer.layer).pipe(Layer.provide(Layer.succeed(Storage, storage))))
  const writer = yield* Effect.provide(Writer.Writer, context)
  // the Writer carries out what it has taken before it closes
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      closing = true
      return Effect.forEach(pending, (commit) => commit.end(), { discard: true })
    })
  )
  const send = <A>(command: Command<A>, to = tenant) =>
    Effect.forkChild(writer.submit(to, command), { startImmediately: true })
  return { commits, send, writer }
})

describe("Writer", () => {
  it.effect(
    "commits the first command at once and gathers those that come meanwhile into the next batch, in order",
    () =>
      Effect.gen(function* () {
        const { commits, send } = yield* setUp
        const first = yield* send(named("a"))
        const one = yield* Queue.take(commits)
        assert.deepStrictEqual(one.names, ["a"])
        const rest = yield* Effect.forEach(["b", "c", "d"], (name) => send(named(name)))
        yield* one.end()
        assert.strictEqual(yield* Fiber.join(first), "a")
        const two = yield* Queue.take(commits)
        assert.deepStrictEqual(two.names, ["b", "c", "d"])
        yield* two.end()
        assert.deepStrictEqual(yield* Effect.forEach(rest, Fiber.join), ["b", "c", "d"])
        const later = yield* send(named("e"))
        const three = yield* Queue.take(commits)
        assert.deepStrictEqual(three.names, ["e"])
        yield* three.end()
        assert.strictEqual(yield* Fiber.join(later), "e")
      })
  )

  it.effect("takes a later moment than what was written, and shares one with itself only while time stands", () =>
    Effect.gen(function* () {
      const { commits, send } = yield* setUp
      /** The moment of the next batch, which follows on a last change that long after now. */
      const next = Effect.fnUntraced(function* (lead: number, failed?: StorageError) {
        const sent = yield* send(named("a"))
        const one = yield* Queue.take(commits)
        const moment = one.momentAfter(one.now + lead) - one.now
        yield* one.end(failed)
        yield* Fiber.await(sent)
        return moment
      })
      const failure = new StorageError({ doing: "commit", cause: new Error("gone") })
      assert.strictEqual(yield* next(-1), 0)
      // its own, while time stands
      assert.strictEqual(yield* next(0), 0)
      // its own, less than a millisecond ago
      yield* TestClock.adjust("100 nanos")
      assert.strictEqual(yield* next(0), 1)
      // another's, whose clock is ahead, and then its own under a clock that is behind
      assert.strictEqual(yield* next(5), 6)
      assert.strictEqual(yield* next(6), 7)
      // its clock has come that far
      yield* TestClock.adjust("7 millis")
      assert.strictEqual(yield* next(0), 1)
      // another's of the same moment, and what it did not write is not its own
      assert.strictEqual(yield* next(0), 1)
      assert.strictEqual(yield* next(-1, failure), 0)
      assert.strictEqual(yield* next(0), 1)
    })
  )

  it.effect("does not let tenants wait for one another", () =>
    Effect.gen(function* () {
      const { commits, send } = yield* setUp
      yield* send(named("a"))
      const held = yield* Queue.take(commits)
      const free = yield* send(named("b"), another)
      const other = yield* Queue.take(commits)
      assert.deepStrictEqual([held.tenantId, other.tenantId], [tenant, another])
      yield* other.end()
      assert.strictEqual(yield* Fiber.join(free), "b")
      yield* held.end()
    })
  )

  it.effect("takes at most so many commands, and so many reads, into one commit, but always one command", () =>
    Effect.gen(function* () {
      const { commits, send } = yield* setUp
      yield* send(named("first"))
      const first = yield* Queue.take(commits)
      for (let index = 0; index < Writer.batchCommandsMax + 1; index++) yield* send(named("small"))
      yield* send(named("huge", Writer.batchReadsMax + 1))
      yield* send(named("large", Writer.batchReadsMax))
      yield* send(named("one more", 1))
      yield* first.end()
      const batches: Array<ReadonlyArray<string>> = []
      for (let batch = 0; batch < 5; batch++) {
        const commit = yield* Queue.take(commits)
        batches.push([...new Set(commit.names)])
        if (batch === 0) assert.strictEqual(commit.names.length, Writer.batchCommandsMax)
        yield* commit.end()
      }
      assert.deepStrictEqual(batches, [["small"], ["small"], ["huge"], ["large"], ["one more"]])
    })
  )

  it.effect("takes no more commands than its queue holds, and goes on when there is room", () =>
    Effect.gen(function* () {
      const { commits, send, writer } = yield* setUp
      yield* send(named("first"))
      const first = yield* Queue.take(commits)
      for (let index = 0; index < Writer.queueCommandsMax; index++) yield* send(named("waiting"))
      const error = yield* Effect.flip(writer.submit(tenant, named("too much")))
      assert.strictEqual(error._tag, "Overloaded")
      yield* first.end()
      yield* Queue.take(commits)
      const fits = yield* send(named("fits"))
      assert.isUndefined(fits.pollUnsafe())
    })
  )

  it.effect("answers everybody in a failed commit with the failure, and commits the next batch", () =>
    Effect.gen(function* () {
      const { commits, send } = yield* setUp
      const first = yield* send(named("a"))
      const one = yield* Queue.take(commits)
      const [second, third] = [yield* send(named("b")), yield* send(named("c"))]
      yield* one.end()
      yield* Fiber.join(first)
      yield* (yield* Queue.take(commits)).end(new StorageError({ doing: "test", cause: new Error("down") }))
      for (const fiber of [second, third])
        assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "StorageError")
      const fourth = yield* send(named("d"))
      yield* (yield* Queue.take(commits)).end()
      assert.strictEqual(yield* Fiber.join(fourth), "d")
    })
  )

  it.effect("commits the others where the storage cannot store what one of them writes, each in its order", () =>
    Effect.gen(function* () {
      const { commits, send } = yield* setUp
      yield* send(named("first"))
      const first = yield* Queue.take(commits)
      const names = ["a", "b", "culprit", "d", "e"]
      const fibers = yield* Effect.forEach(names, (name) => send(named(name)))
      yield* first.end()
      const refused = new StorageError({ doing: "test", cause: new Error("22P05"), unstorable: true })
      const stored: Array<string> = []
      while (stored.length < 4) {
        const commit = yield* Queue.take(commits)
        if (!commit.names.includes("culprit")) stored.push(...commit.names)
        yield* commit.end(commit.names.includes("culprit") ? refused : undefined)
      }
      assert.deepStrictEqual(stored, ["a", "b", "d", "e"])
      const exits = yield* Effect.forEach(fibers, Fiber.await)
      assert.deepStrictEqual(exits, [
        ...["a", "b"].map((name) => Exit.succeed(name)),
        Exit.fail(refused),
        ...["d", "e"].map((name) => Exit.succeed(name))
      ])
    })
  )

  it.effect("gives the bug of one command to its sender alone", () =>
    Effect.gen(function* () {
      const { commits, send } = yield* setUp
      yield* send(named("a"))
      const one = yield* Queue.take(commits)
      const [bad, good] = [yield* send(broken), yield* send(named("b"))]
      yield* one.end()
      yield* (yield* Queue.take(commits)).end()
      assert.strictEqual((yield* Fiber.await(bad))._tag, "Failure")
      assert.strictEqual(yield* Fiber.join(good), "b")
    })
  )

  it.effect("carries out what it has taken, though its sender goes away", () =>
    Effect.gen(function* () {
      const { commits, send } = yield* setUp
      yield* send(named("a"))
      const one = yield* Queue.take(commits)
      const gone = yield* send(named("b"))
      yield* Fiber.interrupt(gone)
      yield* one.end()
      assert.deepStrictEqual((yield* Queue.take(commits)).names, ["b"])
    })
  )

  it.effect("gives each batch a moment and ids of that moment", () =>
    Effect.gen(function* () {
      const { commits, send } = yield* setUp
      yield* send(looking([], ({ now }) => now))
      const { newId, now } = yield* Queue.take(commits)
      assert.strictEqual(now, 0)
      assert.match(newId(), /^00000000-0000-7/u)
      assert.notStrictEqual(newId(), newId())
    })
  )
})
