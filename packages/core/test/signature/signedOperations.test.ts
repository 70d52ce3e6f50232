import type { Command } from "@bursar/core/engine/Command"
import { putRecord } from "@bursar/core/engine/Records"
import { of } from "@bursar/core/money/Amount"
import { newOperation } from "@bursar/core/operation/newOperation"
import { Operation } from "@bursar/core/operation/Operation"
import { evidenceOf } from "@bursar/core/signature/SignatureEvidence"
import { SignedRegistration } from "@bursar/core/signature/SignedRegistration"
import { type RequestSignature, signedIdempotent, type SignedCommand } from "@bursar/core/signature/signedIdempotent"
import { Queries } from "@bursar/core/store/Queries"
import { addEndpoint } from "@bursar/core/webhook/endpointCommands"
import { WebhookEndpoint } from "@bursar/core/webhook/WebhookEndpoint"
import { requestSignature } from "@bursar/testkit/fixtures/signatures"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Result } from "effect"
import { TestClock } from "effect/testing"
import { store, submit } from "../transfer/world.ts"

/** Makes operations that name each other; the first is the reply, or another one. */
const making = (count: number, replied = 0): Command<Operation> => ({
  name: "Making",
  reads: [],
  decide: (view) => {
    const all = Array.from({ length: count }, () =>
      newOperation(view, { kind: "ADJUSTMENT", status: "FAILED", amount: of(1n, "EUR"), details: { reason: "x" } })
    )
    const reply = all[replied] ?? assert.fail("there are too few")
    return Result.succeed({ changes: all.map((operation) => putRecord(Operation, operation)), reply })
  }
})

let keys = 0

const request = (
  command: Command<Operation>,
  more: Partial<SignedCommand<Operation>> = {}
): SignedCommand<Operation> => ({
  key: `key-${++keys}`,
  endpoint: "POST /v1/things",
  fingerprint: "a",
  render: ({ id }) => ({ id }),
  resourceId: ({ id }) => id,
  command,
  ...more
})

const makes = "01890000-0000-7000-8000-000000000001"

const setUp = Effect.map(newTenant(), ({ id }) => ({ id, signature: requestSignature(300_000, { makes }) }))

const fresh = (signature: RequestSignature): RequestSignature => ({
  ...signature,
  nonce: `${signature.nonce}${++keys}`
})

describe("a signed request for an operation", () => {
  it.effect("makes it under the id that follows from the request, with the request kept in it", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      const { outcome } = yield* submit(id, signedIdempotent(signature, request(making(1))))
      assert.deepStrictEqual(outcome, { _tag: "Done", body: { id: makes } })
      const operation = (yield* (yield* Queries).operation(id, makes)) ?? assert.fail("there is none")
      assert.deepStrictEqual(evidenceOf(operation), signature.evidence)
    }).pipe(Effect.provide(store))
  )

  it.effect("is kept in the operation that it makes, and in none that comes beside it", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      yield* submit(id, signedIdempotent(signature, request(making(3))))
      const { operations } = yield* Effect.map((yield* Queries).records(id, Operation), (all) => ({ operations: all }))
      assert.lengthOf(operations, 3)
      const signed = operations.filter((operation) => evidenceOf(operation) !== undefined)
      assert.deepStrictEqual(
        signed.map((operation) => operation.id),
        [makes]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("makes it once: under another key, with a fresh nonce, it is refused", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      yield* submit(id, signedIdempotent(signature, request(making(1))))
      const { outcome } = yield* submit(id, signedIdempotent(fresh(signature), request(making(1))))
      assert.deepInclude(outcome, { _tag: "Refused", code: "idempotency_key_reused" })
      assert.lengthOf(yield* (yield* Queries).records(id, Operation), 1)
    }).pipe(Effect.provide(store))
  )

  it.effect("that would make it under another id is a bug, and writes nothing", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      const exit = yield* Effect.exit(submit(id, signedIdempotent(signature, request(making(2, 1)))))
      assert.isTrue(Exit.hasDies(exit))
      assert.deepStrictEqual(yield* (yield* Queries).records(id, Operation), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("of which no id follows makes as many as it is signed for, each with its request", () =>
    Effect.gen(function* () {
      const { id } = yield* setUp
      for (const _ of [1, 2]) yield* submit(id, signedIdempotent(requestSignature(300_000), request(making(2, 1))))
      const all = yield* (yield* Queries).records(id, Operation)
      assert.lengthOf(all, 4)
      assert.lengthOf(
        all.filter((operation) => evidenceOf(operation) !== undefined),
        2
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("may make something else than an operation, whatever id that has", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      const { command: added } = request(making(1))
      const command = {
        ...added,
        decide: (view: Parameters<typeof added.decide>[0]) => {
          view.newId()
          return addEndpoint({ url: "https://a.test", kinds: null, secret: "s" }).decide(view)
        }
      }
      const asked = { key: `key-${++keys}`, endpoint: "POST /v1/things", fingerprint: "a", command }
      const { outcome } = yield* submit(
        id,
        signedIdempotent(signature, {
          ...asked,
          render: ({ id }: WebhookEndpoint) => ({ id }),
          resourceId: ({ id }: WebhookEndpoint) => id
        })
      )
      assert.strictEqual(outcome._tag, "Done")
      const [made] = yield* (yield* Queries).records(id, WebhookEndpoint)
      assert.notStrictEqual(made?.id ?? makes, makes)
    }).pipe(Effect.provide(store))
  )

  it.effect("names nothing where the command tells no id: its reply is not taken for one", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      const { resourceId: _, ...unnamed } = request(making(1))
      yield* submit(id, signedIdempotent(signature, unnamed))
      const all = yield* (yield* Queries).records(id, Operation)
      assert.deepStrictEqual(
        all.map((one) => [one.id === makes, evidenceOf(one)]),
        [[false, undefined]]
      )
    }).pipe(Effect.provide(store))
  )
})

describe("a signed request that registers something", () => {
  it.effect("is kept beside it, under the id that what it makes names", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      yield* TestClock.adjust("1 minute")
      const named: Array<string> = []
      const registers: SignedCommand<Operation>["registers"] = (changes, kept) => {
        named.push(kept.id)
        return changes
      }
      yield* submit(id, signedIdempotent(signature, request(making(1), { registers })))
      yield* submit(id, signedIdempotent(requestSignature(300_000), request(making(1), { registers })))
      const kept = yield* (yield* Queries).records(id, SignedRegistration)
      assert.deepStrictEqual(kept.map((one) => one.id).toSorted(), named.toSorted())
      assert.deepStrictEqual(
        kept.find((one) => one.id === makes),
        { id: makes, ...signature.evidence, recordedAt: yield* Clock.currentTimeMillis }
      )
      const all = yield* (yield* Queries).records(id, Operation)
      assert.deepStrictEqual(all.map(evidenceOf), [undefined, undefined])
    }).pipe(Effect.provide(store))
  )
})
