import { Storage } from "@bursar/core/engine/Storage"
import { idempotent } from "@bursar/core/idempotency/idempotent"
import type { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { adjust, contextAt } from "../../fixtures/commands.ts"
import { alikeTexts } from "../../fixtures/records.ts"
import { newTenant } from "../../fixtures/tenants.ts"
import { TwoWriters } from "../harness.ts"
import type { StorageIt } from "./services.ts"

const request = (key: string, fingerprint: string, units: bigint) =>
  idempotent({
    key,
    endpoint: "POST /v1/adjustments",
    fingerprint,
    render: (operation: Operation) => ({ id: operation.id, amount: operation.amount.units.toString() }),
    resourceId: (operation) => operation.id,
    command: adjust(units)
  })

const racers = 50
const yearMs = 365 * 86_400_000

/** What an idempotency key promises when many use it at once, from two processes. */
export const idempotencyTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "fifty racers with one key have one effect and one answer",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const answers = yield* Effect.forEach(
          Array.from({ length: racers }),
          (_, index) => (index % 2 === 0 ? first : second).submit(id, request("key-1", "a".repeat(64), 7n)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers.filter(({ replayed }) => !replayed).length, 1)
        for (const { outcome } of answers) assert.deepStrictEqual(outcome, answers[0]?.outcome)
        const queries = yield* Queries
        const operations = yield* queries.register(id, { limit: 100 })
        assert.strictEqual(operations.length, 1)
        const idempotencyRecord = yield* queries.idempotencyRecord(id, "key-1")
        assert.deepStrictEqual(idempotencyRecord?.outcome, answers[0]?.outcome)
        assert.strictEqual(idempotencyRecord?.resourceId, operations[0]?.id)
      }),
    timeoutMs
  )

  it.effect(
    "fifty racers with one key and two requests: one is carried out, the other is idempotency_key_reused",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const answers = yield* Effect.forEach(
          Array.from({ length: racers }),
          (_, index) => {
            const [fingerprint, units] =
              index % 4 < 2 ? (["a".repeat(64), 7n] as const) : (["b".repeat(64), 8n] as const)
            return (index % 2 === 0 ? first : second).submit(id, request("key-2", fingerprint, units)).pipe(
              Effect.map(({ outcome }) => JSON.stringify(outcome)),
              Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
            )
          },
          { concurrency: "unbounded" }
        )
        const reused = answers.filter((answer) => answer === "idempotency_key_reused")
        const carriedOut = answers.filter((answer) => answer !== "idempotency_key_reused")
        assert.strictEqual(new Set(carriedOut).size, 1)
        assert.strictEqual(reused.length + carriedOut.length, racers)
        assert.include([24, 26], reused.length)
        assert.strictEqual((yield* (yield* Queries).register(id, { limit: 100 })).length, 1)
      }),
    timeoutMs
  )

  it.effect(
    "a refused request is answered by the same refusal ever after, whatever has become possible",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const refusal = yield* first.submit(id, request("key-3", "c".repeat(64), -5n))
        yield* second.submit(id, adjust(100n))
        const again = yield* second.submit(id, request("key-3", "c".repeat(64), -5n))
        assert.isTrue(again.replayed)
        assert.deepStrictEqual(again.outcome, refusal.outcome)
        assert.deepStrictEqual(again.outcome, {
          _tag: "Refused",
          code: "insufficient_balance",
          message: "The balance in ETH does not cover the amount and its fee.",
          detail: {
            available: { amount: "0", currency: "ETH" },
            backed: { amount: "0", currency: "ETH" },
            required: { amount: "0.000000000000000005", currency: "ETH" }
          }
        })
      }),
    timeoutMs
  )

  it.effect(
    "a key is never good for a second effect: not after hundreds of others, and not a year later",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const storage = yield* Storage
        const now = yield* Clock.currentTimeMillis
        const command = request("key-5", "f".repeat(64), 7n)
        yield* storage.commit(id, [command], contextAt(now))
        const others = Array.from({ length: 400 }, (_, index) => request(`other-${index}`, "a".repeat(64), 1n))
        yield* storage.commit(id, others, contextAt(now + yearMs))
        // what forgets does so as others are written
        yield* storage.commit(id, [adjust(1n)], contextAt(now + yearMs + 1))
        yield* storage.commit(id, [command], contextAt(now + yearMs + 2))
        const float = yield* (yield* Queries).float(id)
        assert.deepStrictEqual(
          float.map(({ units }) => units),
          [408n]
        )
        assert.isDefined(yield* (yield* Queries).idempotencyRecord(id, "key-5"))
      }),
    timeoutMs
  )

  it.effect(
    "keys that differ in case, a blank or the writing of a letter alone have an effect each",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant()
        const { first, second } = yield* TwoWriters
        const keys = alikeTexts("invoice-")
        for (const [index, key] of keys.entries())
          assert.isFalse((yield* first.submit(id, request(key, "a".repeat(64), BigInt(index + 1)))).replayed, key)
        for (const [index, key] of keys.entries()) {
          const again = yield* second.submit(id, request(key, "a".repeat(64), BigInt(index + 1)))
          assert.isTrue(again.replayed, key)
          assert.deepStrictEqual((yield* (yield* Queries).idempotencyRecord(id, key))?.outcome, again.outcome)
        }
        assert.lengthOf(yield* (yield* Queries).register(id, { limit: 100 }), keys.length)
      }),
    timeoutMs
  )

  it.effect(
    "a key means nothing to another tenant",
    () =>
      Effect.gen(function* () {
        const { first } = yield* TwoWriters
        const [{ id: left }, { id: right }] = [yield* newTenant(), yield* newTenant()]
        yield* first.submit(left, request("key-4", "d".repeat(64), 1n))
        assert.isFalse((yield* first.submit(right, request("key-4", "e".repeat(64), 2n))).replayed)
      }),
    timeoutMs
  )
}
