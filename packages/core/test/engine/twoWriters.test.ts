import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { RandomBytes } from "@bursar/core/engine/Ids"
import { putRecord } from "@bursar/core/engine/Records"
import { Storage } from "@bursar/core/engine/Storage"
import * as Writer from "@bursar/core/engine/Writer"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { Operation } from "@bursar/core/operation/Operation"
import { Heads } from "@bursar/core/store/Heads"
import { Queries } from "@bursar/core/store/Queries"
import * as Memory from "@bursar/memory"
import { writing } from "@bursar/testkit/fixtures/commands"
import { addressItem, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { bareOperation } from "@bursar/testkit/fixtures/records"
import { newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** The writer of a process that draws the same random bytes again and again. */
const writerDrawing = Effect.fnUntraced(function* (byte: number) {
  const storage = yield* Storage
  const context = yield* Layer.build(
    Layer.fresh(Writer.layer).pipe(
      Layer.provide(Layer.succeed(Storage, storage)),
      Layer.provide(Layer.succeed(RandomBytes, (length: number) => new Uint8Array(length).fill(byte)))
    )
  )
  return yield* Effect.provide(Writer.Writer, context)
})

layer(Memory.layer)("two processes that write at one moment", (it) => {
  for (const [behindMs, madeMs] of [
    [0, 0],
    [2_000, 0],
    // the first change of a tenant is at the moment at which it was made: by a clock that both are behind, or by theirs
    [1_000, 12_000],
    [0, 10_000],
    [2_000, 10_000]
  ] as const)
    it.effect(
      `lose nothing of a list that is read on from its last row (one is ${behindMs} ms behind, the tenant was made at ${madeMs})`,
      () =>
        Effect.gen(function* () {
          yield* TestClock.setTime(past + 10_000)
          const { id } = yield* newTenant({ createdAt: past + madeMs })
          const queries = yield* Queries
          // ids of the first are greater than those of the second
          const [first, second] = [yield* writerDrawing(0xff), yield* writerDrawing(0)]
          const seen: Array<string> = []
          const register = Effect.fnUntraced(function* (writer: Writer.Writer["Service"], reference: string) {
            const item = addressItem(newEvmAddress(), { reference })
            yield* writer.submit(id, registerAddresses([item]))
            const page = yield* queries.addresses(id, { includeRetired: false, limit: 10, after: seen.at(-1) })
            seen.push(...page.map((one) => one.id))
            return page.map((one) => one.reference)
          })
          assert.deepStrictEqual(yield* register(first, "a"), ["a"])
          yield* TestClock.setTime((yield* Clock.currentTimeMillis) - behindMs)
          assert.deepStrictEqual(yield* register(second, "b"), ["b"])
          assert.deepStrictEqual(yield* register(second, "c"), ["c"])
          assert.deepStrictEqual(yield* register(first, "d"), ["d"])
        })
    )

  const transfer = (partnerReference: string) =>
    writing((view) => [putRecord(Operation, bareOperation(view, { kind: "BANK_TRANSFER", partnerReference }))])

  it.effect(
    "lose nothing of a list that is read on from a moment, though the clock of one comes to what it wrote ahead",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(past + 10_000)
        const { id } = yield* newTenant({ createdAt: past })
        const queries = yield* Queries
        const [first, second] = [yield* writerDrawing(1), yield* writerDrawing(2)]
        let seen = past
        const added = Effect.fnUntraced(function* (writer: Writer.Writer["Service"], reference: string) {
          yield* writer.submit(id, transfer(reference))
          const found = yield* queries.register(id, { kinds: ["BANK_TRANSFER"], since: seen + 1, limit: 10 })
          seen = found[0]?.createdAt ?? seen
          return found.map(({ partnerReference }) => partnerReference)
        })
        assert.deepStrictEqual(yield* added(first, "a"), ["a"])
        yield* TestClock.setTime(past + 9_992)
        assert.deepStrictEqual(yield* added(second, "b"), ["b"])
        yield* TestClock.setTime(past + 10_001)
        assert.deepStrictEqual(yield* added(second, "c"), ["c"])
        assert.deepStrictEqual(yield* added(second, "d"), ["d"])
      })
  )

  it.effect("are told of to operators, whatever they write, for a tenant and for the service", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(past + 10_000)
      const { id } = yield* newTenant({ createdAt: past })
      const heads = yield* Heads
      const writer = yield* writerDrawing(1)
      const order = writing(() => [{ _tag: "Scheduled", queue: "q", key: "k", dueAt: 0 }])
      for (const [tenantId, topic] of [
        [id, "commits"],
        [fleetTenantId, "service"]
      ] as const) {
        const versions = new Set<string>()
        for (let times = 0; times < 3; times++) {
          yield* writer.submit(tenantId, order)
          // the millisecond is the same
          yield* TestClock.adjust("100 nanos")
          versions.add((yield* heads.read(0, 10))[topic])
        }
        assert.strictEqual(versions.size, 3, topic)
      }
    })
  )
})
