import type { Command } from "@bursar/core/engine/Command"
import { Refusal } from "@bursar/core/base/Refusal"
import { Queries } from "@bursar/core/store/Queries"
import { Storage } from "@bursar/core/engine/Storage"
import { nonceKeptMs, SignatureNonce } from "@bursar/core/signature/SignatureNonce"
import { type RequestSignature, signedIdempotent } from "@bursar/core/signature/signedIdempotent"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import * as Memory from "@bursar/memory"
import { broken, emitting, looking, contextAt } from "@bursar/testkit/fixtures/commands"
import { requestSignature } from "@bursar/testkit/fixtures/signatures"
import { commitAt, newTenant, past } from "@bursar/testkit/fixtures/tenants"
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Result } from "effect"
import { readRecord } from "@bursar/core/engine/Records"

interface Request {
  readonly key?: string
  readonly fingerprint?: string
  readonly command?: Command<unknown>
}

const signed = (signature: RequestSignature, { command = emitting(), fingerprint = "a", key = "k" }: Request = {}) =>
  signedIdempotent(signature, { key, endpoint: "POST /v1/things", fingerprint, render: String, command })

const tooLittle: Command<never> = {
  name: "TooLittle",
  reads: [],
  decide: () => Result.fail(new Refusal({ code: "below_minimum", message: "Too little." }))
}

/** What came of a signed command: `new`, `again`, or the code of the refusal. */
const told = Effect.fnUntraced(function* (tenantId: TenantId, command: ReturnType<typeof signed>, now = past) {
  const [exit] = yield* (yield* Storage).commit(tenantId, [command], contextAt(now))
  if (exit !== undefined && Exit.isSuccess(exit)) {
    // the reply to a signed command says so
    return (exit.value as { readonly replayed: boolean }).replayed ? "again" : "new"
  }
  const error = exit === undefined ? undefined : Cause.squash(exit.cause)
  return error instanceof Refusal ? error.code : "defect"
})

const isUsed = ({ keyid, nonce }: RequestSignature) =>
  looking(
    [readRecord(SignatureNonce, { keyid, nonce })],
    (view) => view.get(SignatureNonce, { keyid: keyid, nonce: nonce }) !== undefined
  )

const setUp = Effect.gen(function* () {
  const { id } = yield* newTenant({ createdAt: past })
  const signature = requestSignature(past + 300_000)
  const events = Effect.map(
    Effect.flatMap(Queries, (queries) => queries.events(id, 0, 100)),
    ({ length }) => length
  )
  return { id, signature, events }
})

layer(Memory.layer)("signedOnce", (it) => {
  it.effect("the same nonce, key and body again is a retry and gets the first answer", () =>
    Effect.gen(function* () {
      const { events, id, signature } = yield* setUp
      assert.strictEqual(yield* told(id, signed(signature)), "new")
      assert.strictEqual(yield* told(id, signed(signature)), "again")
      // however late: whoever verifies it looks at its times
      assert.strictEqual(yield* told(id, signed(signature), past + 10 * nonceKeptMs), "again")
      assert.strictEqual(yield* events, 1)
    })
  )

  it.effect("the same nonce with another key or another body is signature_replayed, and nothing is written", () =>
    Effect.gen(function* () {
      const { events, id, signature } = yield* setUp
      yield* commitAt(id, past, signed(signature))
      const other = { ...signature, contentDigest: "another" }
      assert.strictEqual(yield* told(id, signed(signature, { key: "k2" })), "signature_replayed")
      assert.strictEqual(yield* told(id, signed(other, { fingerprint: "b" })), "signature_replayed")
      assert.strictEqual(yield* told(id, signed(other, { key: "k2", fingerprint: "b" })), "signature_replayed")
      assert.strictEqual(yield* events, 1)
      assert.isUndefined(yield* (yield* Queries).idempotencyRecord(id, "k2"))
      // the refusal is not kept: the key is still good for a signature of its own
      assert.strictEqual(yield* told(id, signed(requestSignature(past + 300_000), { key: "k2" })), "new")
    })
  )

  it.effect("the same nonce of another signing key is another nonce", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      assert.strictEqual(yield* told(id, signed(signature)), "new")
      assert.strictEqual(yield* told(id, signed({ ...signature, keyid: "another" }, { key: "k2" })), "new")
    })
  )

  it.effect("the same request signed anew is a retry, too, and its nonce is used up", () =>
    Effect.gen(function* () {
      const { events, id, signature } = yield* setUp
      const anew = { ...signature, nonce: "another" }
      assert.strictEqual(yield* told(id, signed(signature)), "new")
      assert.strictEqual(yield* told(id, signed(anew)), "again")
      assert.strictEqual(yield* told(id, signed(anew, { key: "k2" })), "signature_replayed")
      assert.strictEqual(yield* events, 1)
    })
  )

  it.effect("the same path of nonce and key to another request is idempotency_key_reused", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      yield* commitAt(id, past, signed(signature))
      assert.strictEqual(yield* told(id, signed(signature, { fingerprint: "b" })), "idempotency_key_reused")
    })
  )

  it.effect("a refusal by a rule uses the nonce up and is given again; a bug or a reused key leaves it unused", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      assert.strictEqual(yield* told(id, signed(signature, { command: broken })), "defect")
      assert.deepStrictEqual(yield* commitAt(id, past, isUsed(signature)), [false])
      assert.strictEqual(yield* told(id, signed(signature, { command: tooLittle })), "new")
      assert.deepStrictEqual(yield* commitAt(id, past, isUsed(signature)), [true])
      assert.strictEqual(yield* told(id, signed(signature)), "again")
      const other = requestSignature(past + 300_000)
      assert.strictEqual(yield* told(id, signed(other, { fingerprint: "b" })), "idempotency_key_reused")
      assert.deepStrictEqual(yield* commitAt(id, past, isUsed(other)), [false])
    })
  )

  it.effect("in one batch the second with a nonce sees the first", () =>
    Effect.gen(function* () {
      const { events, id, signature } = yield* setUp
      const exits = yield* (yield* Storage).commit(
        id,
        [signed(signature), signed(signature, { key: "k2" }), signed(signature)],
        contextAt(past)
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
      assert.strictEqual(yield* events, 1)
    })
  )

  it.effect("a signature whose nonce may have been forgotten is refused", () =>
    Effect.gen(function* () {
      const { id, signature } = yield* setUp
      const forgetAt = past + 300_000 + nonceKeptMs
      assert.strictEqual(yield* told(id, signed(signature), forgetAt), "signature_replayed")
      // the tenant's time may be ahead: nobody is to be told that a nonce was used which was not
      const exits = yield* (yield* Storage).commit(id, [signed(signature)], contextAt(forgetAt))
      assert.match(String(exits.map(Exit.findErrorOption)), /tenant's time, which may be ahead/u)
      assert.strictEqual(yield* told(id, signed(requestSignature(past + 300_001)), forgetAt), "new")
    })
  )
})
