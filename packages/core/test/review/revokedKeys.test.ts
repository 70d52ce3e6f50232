import { addApiKey } from "@bursar/core/access/tenantCommands"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import { custodianQueue } from "@bursar/core/custody/CustodyStep"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Operation } from "@bursar/core/operation/Operation"
import { reviewOf } from "@bursar/core/operation/Review"
import { waitsOf } from "@bursar/core/operation/waits"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { reviewOperation, type Verdict } from "@bursar/core/review/reviewOperation"
import { addSigningKey, revokeSigningKey } from "@bursar/core/signature/signingKeyCommands"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { apiKeyFields } from "@bursar/testkit/fixtures/keys"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { accept, sold } from "../swap/world.ts"
import { store, submit, verified, withdraw, withdrawer, wrong } from "../withdrawal/world.ts"

const keyid = "the key"
const units = 10_000_000n
const custodian = { name: "fake", environment: "LIVE" } as const

const accepted = Effect.fnUntraced(function* (id: TenantId, kind: "SWAP" | "WITHDRAWAL") {
  if (kind === "SWAP") return yield* accept(id, units, false)
  yield* verified(id, `0x${"aa".repeat(20)}`)
  const made = yield* withdraw(id, units)
  return typeof made === "string" ? assert.fail(`it was refused: ${made}`) : made
})

const stored = Effect.fnUntraced(function* (id: TenantId, operation: Operation) {
  return (yield* (yield* Queries).operation(id, operation.id)) ?? assert.fail("it is gone")
})

const free = Effect.fnUntraced(function* (id: TenantId) {
  const balances = yield* (yield* Queries).float(id)
  return balances.find((one) => one.account === "float:available" && one.currency === sold)?.units ?? 0n
})

const inQueue = Effect.fnUntraced(function* (operation: Operation) {
  const due = yield* (yield* JobQueue).due(custodianQueue, yield* Clock.currentTimeMillis, 100)
  return due.some(({ key }) => key === operation.id)
})

/** An operation that was signed with a key that is revoked before it leaves. */
const signedAndRevoked = Effect.fnUntraced(function* (kind: "SWAP" | "WITHDRAWAL") {
  const id = yield* withdrawer()
  const key = apiKeyFields()
  yield* submit(id, addApiKey(key))
  yield* submit(id, addSigningKey({ apiKeyId: key.id, keyid, publicKey: "p" }))
  const before = yield* free(id)
  const operation = yield* accepted(id, kind)
  const signature = { keyid, signature_base: "base", signature: "sig", body: "body" }
  yield* submit(id, {
    name: "Sign",
    reads: [readRecord(Operation, operation.id)],
    decide: () =>
      Result.succeed({
        changes: [putRecord(Operation, { ...operation, details: { ...operation.details, signature } as never })], // of its kind
        reply: undefined
      })
  })
  yield* TestClock.adjust("1 second")
  yield* submit(id, revokeSigningKey(keyid, null))
  yield* TestClock.adjust("1 second")
  const read = yield* stored(id, operation)
  const begin = submit(id, beginCustody(read, custodian))
  const say = Effect.fnUntraced(function* (verdict: Verdict) {
    const command = { operation: yield* stored(id, operation), verdict, by: "olga", reason: null }
    return yield* submit(id, reviewOperation({ ...command, currencies: defaultCurrencies }))
  })
  return { before, begin, id, operation, say }
})

describe("an operation that was signed with a key that is revoked before it leaves", () => {
  for (const kind of ["SWAP", "WITHDRAWAL"] as const) {
    it.effect(`goes before an operator, and to its custodian once it is approved: a ${kind}`, () =>
      Effect.gen(function* () {
        const { begin, id, operation, say } = yield* signedAndRevoked(kind)
        assert.strictEqual((yield* begin)._tag, "Wait")
        const held = yield* stored(id, operation)
        assert.strictEqual(held.status, "IN_REVIEW")
        assert.strictEqual(waitsOf(held)?.reason, "signing_key_revoked")
        assert.strictEqual(reviewOf(held)?.state, "PENDING")
        assert.isFalse(yield* inQueue(operation))
        assert.strictEqual((yield* say("APPROVE")).status, "ACCEPTED")
        assert.isTrue(yield* inQueue(operation))
        // who approved it since answers for the key
        assert.strictEqual((yield* begin)._tag, "Send")
      }).pipe(Effect.provide(store))
    )

    for (const verdict of ["REJECT", "CANCEL"] as const) {
      it.effect(`gives back what it took: a ${kind} on ${verdict}`, () =>
        Effect.gen(function* () {
          const { before, begin, id, operation, say } = yield* signedAndRevoked(kind)
          yield* begin
          assert.notStrictEqual(yield* free(id), before)
          assert.strictEqual((yield* say(verdict)).status, "FAILED")
          assert.strictEqual(yield* free(id), before)
          assert.isFalse(yield* inQueue(operation))
          assert.strictEqual((yield* begin)._tag, "Nothing")
          assert.deepStrictEqual(yield* wrong(id), [])
        }).pipe(Effect.provide(store))
      )
    }
  }
})
