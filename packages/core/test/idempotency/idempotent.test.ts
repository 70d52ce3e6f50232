import type { Command } from "@bursar/core/engine/Command"
import { isOutcome, Refusal, refusalCodes } from "@bursar/core/base/Refusal"
import { emit } from "@bursar/core/engine/emit"
import { type IdempotentReply, alreadyRecorded, idempotent } from "@bursar/core/idempotency/idempotent"
import { Queries } from "@bursar/core/store/Queries"
import * as Memory from "@bursar/memory"
import { emitting } from "@bursar/testkit/fixtures/commands"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Effect, Result } from "effect"

const request = <A>(command: Command<A>, fingerprint = "a", resourceId?: (reply: A) => string | null) =>
  idempotent({
    key: "k",
    endpoint: "POST /v1/things",
    fingerprint,
    render: (reply) => ({ reply: String(reply) }),
    ...(resourceId === undefined ? {} : { resourceId }),
    command
  })

const refusing: Command<number> = {
  name: "Refusing",
  reads: [],
  decide: (view) => {
    emit(view, "deposit.detected", view.newId(), {})
    return Result.fail(new Refusal({ code: "below_minimum", message: "Too little.", detail: { minimum: "1.5" } }))
  }
}

layer(Memory.layer)("once", (it) => {
  it.effect("carries the command out, keeps its answer and what it made, and gives the answer again", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const resourceId = (eventId: number) => `made-${eventId}`
      const answers = yield* commitAt(
        id,
        past,
        request(emitting(), "a", resourceId),
        request(emitting(), "a", resourceId)
      )
      const outcome = { _tag: "Done", body: { reply: "1" } } as const
      assert.deepStrictEqual(answers, [
        { outcome, replayed: false },
        { outcome, replayed: true }
      ])
      const queries = yield* Queries
      assert.strictEqual((yield* queries.events(id, 0, 10)).length, 1)
      assert.deepStrictEqual(yield* queries.idempotencyRecord(id, "k"), {
        key: "k",
        endpoint: "POST /v1/things",
        fingerprint: "a",
        outcome,
        resourceId: "made-1",
        recordedAt: past
      })
      assert.deepStrictEqual(yield* commitAt(id, past + 9, request(emitting(), "a")), [{ outcome, replayed: true }])
    })
  )

  it.effect("keeps a refusal with its code, words and detail, and writes nothing else", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const outcome = {
        _tag: "Refused",
        code: "below_minimum",
        message: "Too little.",
        detail: { minimum: "1.5" }
      } as const
      assert.deepStrictEqual(yield* commitAt(id, past, request(refusing)), [{ outcome, replayed: false }])
      // the rule of the same request would accept it now; the answer stays
      assert.deepStrictEqual(yield* commitAt(id, past, request(emitting())), [{ outcome, replayed: true }])
      const queries = yield* Queries
      assert.deepStrictEqual(yield* queries.events(id, 0, 10), [])
      assert.isNull((yield* queries.idempotencyRecord(id, "k"))?.resourceId ?? null)
    })
  )

  it.effect("leaves no gap in the feed where a refused command had taken an event id", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      yield* commitAt(id, past, request(refusing), emitting())
      yield* commitAt(id, past, emitting())
      const events = yield* (yield* Queries).events(id, 0, 10)
      assert.deepStrictEqual(
        events.map((event) => event.id),
        [1, 2]
      )
    })
  )

  it.effect("refuses another request under the same key, and does not keep that refusal", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      yield* commitAt(id, past, request(emitting()))
      const reused = yield* Effect.exit(commitAt(id, past, request(emitting(), "b")))
      assert.include(JSON.stringify(reused), "idempotency_key_reused")
      const [again] = yield* commitAt(id, past, request(emitting()))
      assert.isTrue((again as IdempotentReply).replayed) // the reply of `idempotent`
    })
  )

  it.effect("keeps nothing of a command with a bug, so that it can be sent again", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ createdAt: past })
      const broken: Command<number> = {
        ...emitting(),
        decide: () => {
          throw new Error("broken")
        }
      }
      assert.strictEqual((yield* Effect.exit(commitAt(id, past, request(broken))))._tag, "Failure")
      assert.isUndefined(yield* (yield* Queries).idempotencyRecord(id, "k"))
      const [answer] = yield* commitAt(id, past, request(emitting()))
      assert.isFalse((answer as IdempotentReply).replayed) // the reply of `idempotent`
    })
  )

  for (const code of refusalCodes.filter((one) => !isOutcome(one))) {
    it.effect(`keeps nothing of ${code}, which says nothing about the request`, () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        const refused: Command<number> = {
          ...refusing,
          decide: () => Result.fail(new Refusal({ code, message: "Not now." }))
        }
        assert.include(JSON.stringify(yield* Effect.exit(commitAt(id, past, request(refused)))), code)
        assert.isUndefined(yield* (yield* Queries).idempotencyRecord(id, "k"))
        const [answer] = yield* commitAt(id, past, request(emitting()))
        assert.isFalse((answer as IdempotentReply).replayed) // the reply of `idempotent`
      })
    )
  }

  it.effect(
    "gives the first answer where nothing was prepared, and asks for it to be prepared where there is none",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newTenant({ createdAt: past })
        assert.include(JSON.stringify(yield* Effect.exit(commitAt(id, past, request(alreadyRecorded)))), "stale")
        const [first] = yield* commitAt(id, past, request(emitting()))
        const [again] = yield* commitAt(id, past, request(alreadyRecorded))
        assert.deepStrictEqual(again, { ...(first as IdempotentReply), replayed: true }) // the reply of `idempotent`
        const reused = yield* Effect.exit(commitAt(id, past, request(alreadyRecorded, "b")))
        assert.include(JSON.stringify(reused), "idempotency_key_reused")
      })
  )
})
