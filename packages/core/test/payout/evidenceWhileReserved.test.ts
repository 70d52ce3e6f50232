import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { deferPayout } from "@bursar/core/payout/deferPayout"
import { leavingConditions, leavingOf } from "@bursar/core/payout/mayPayoutLeave"
import { payoutQueue } from "@bursar/core/payout/payoutQueue"
import { settleHeld } from "@bursar/core/payout/settleHeld"
import type { Proof, TransactionStatus } from "@bursar/core/port/ChainSender"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { purposes } from "@bursar/core/purposes"
import { beginSigning } from "@bursar/core/transaction/beingSigned"
import type { GuardRequest } from "@bursar/core/transaction/reserveGuard"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { accepted, ledgerHolds, payer, reserved, signed, stateOf, store, submit, usdt, withStatus } from "./world.ts"

const tron = presetNetworks.of("tron")

const expired: TransactionStatus = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }
const proven: Proof = { verdict: "PROVEN", detail: "it paid", fee: 7n }
const denied: Proof = { verdict: "NOT_PROVEN", reason: "not so" }

/** A payout of tron whose first transaction, `0x1`, is held to have expired, and that is in another one of which nothing is signed. */
const again = Effect.gen(function* () {
  const { id, wallet } = yield* payer({}, "tron")
  const contract = currencies.byCode("USDT_TRON")?.asset?.contract ?? null
  const operation = yield* accepted(id, { order: usdt({ network: "tron", currency: "USDT_TRON", contract }) })
  const guard: GuardRequest = { _tag: "Expiry" }
  yield* withStatus(id, yield* signed(id, yield* reserved(id, wallet, [operation], guard), "0x1"), expired)
  const transaction = yield* reserved(id, wallet, [operation], guard)
  const state = stateOf(id, operation.id)
  /** An operator gives a transaction for it, and the chain is asked about it where a proof is given: `given`, or why it is refused. */
  const give = Effect.fnUntraced(function* (txHash: string, proof?: Proof) {
    const { payout } = yield* state
    const result = yield* Effect.result(submit(id, attachEvidence({ payout, txHash, note: "it paid", by: "alice" })))
    if (Result.isFailure(result)) return result.failure._tag === "Refusal" ? result.failure.code : result.failure._tag
    if (proof !== undefined) yield* submit(id, recordEvidence(result.success, proof, tron))
    return "given"
  })
  const { payout } = yield* state
  const conditions = leavingConditions([leavingOf(payout)], tron, { given: ["0x1"] })
  const begin = submit(id, beginSigning({ transaction, pays: [operation.id], conditions, purposes }))
  const end = Effect.fnUntraced(function* (outcome: Parameters<typeof releaseTransaction>[0]["outcome"]) {
    yield* submit(id, releaseTransaction({ transaction, outcome, evidence: ["0x1"], currencies, purposes }))
    return yield* state
  })
  return { begin, end, give, id, state }
})

/** The payouts that are to be looked at. */
const due = Effect.flatMap(JobQueue, (jobs) => jobs.due(payoutQueue("tron"), Number.MAX_SAFE_INTEGER, 10))

describe("a payout whose transaction is held to have expired, and that is in another of which nothing is signed", () => {
  it.effect("takes what has expired as evidence, and nothing else", () =>
    Effect.gen(function* () {
      const { give } = yield* again
      assert.strictEqual(yield* give("0xother"), "state_conflict")
      assert.strictEqual(yield* give("0x1"), "given")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not cancelled while that evidence speaks for it, and is once the chain denies it", () =>
    Effect.gen(function* () {
      const { give, id, state } = yield* again
      yield* give("0x1")
      const cancel = Effect.gen(function* () {
        const { payout, transaction } = yield* state
        return yield* submit(id, cancelPayout({ payout, transaction, given: ["0x1"], by: "bob", currencies }))
      })
      const refused = yield* Effect.flip(cancel)
      assert.strictEqual(refused._tag === "Refusal" && refused.code, "state_conflict")
      yield* give("0x1", denied)
      assert.strictEqual((yield* cancel).state, "cancelled")
      assert.strictEqual((yield* state).operation.status, "FAILED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not signed for while that evidence speaks for it, and is once the chain denies it", () =>
    Effect.gen(function* () {
      const { begin, give } = yield* again
      yield* give("0x1")
      const objected = yield* begin
      assert.strictEqual(objected._tag === "Objected" && objected.objection.reason, "may_be_paid")
      yield* give("0x1", denied)
      assert.strictEqual((yield* begin)._tag, "Asked")
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "does not fail because its receiver can take nothing while that evidence speaks for it, and is settled",
    () =>
      Effect.gen(function* () {
        const { end, give, id, state } = yield* again
        yield* give("0x1", proven)
        const { operation, payout } = yield* end({ _tag: "Fail", reason: "destination_invalid" })
        assert.strictEqual(operation.status, "PROCESSING")
        assert.deepInclude(payout, { transactionId: null, attempts: 1 })
        yield* ledgerHolds(id)
        yield* submit(id, settleHeld({ payout, asked: ["0x1"], nextAt: 1, currencies }))
        assert.deepInclude((yield* state).operation, { status: "SETTLED", txHash: "0x1" })
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
  )

  it.effect("fails because its receiver can take nothing where the chain denies that evidence", () =>
    Effect.gen(function* () {
      const { end, give, id } = yield* again
      yield* give("0x1", denied)
      const { operation } = yield* end({ _tag: "Fail", reason: "destination_invalid" })
      assert.strictEqual(operation.status, "FAILED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  const refused = { reason: "signing_refused", detail: "it may not sign so much" }

  for (const isOfSeveral of [false, true])
    it.effect(
      `is asked about before it waits for an operator${isOfSeveral ? ", where others are tried again" : ""}`,
      () =>
        Effect.gen(function* () {
          const { end, give, id, state } = yield* again
          yield* give("0x1")
          const key = (yield* state).operation.id
          const others = { _tag: "Requeue", reason: "batch", detail: "of a batch", at: 0, alone: false } as const
          const { payout } = yield* end(
            isOfSeveral ? { ...others, held: new Map([[key, refused]]) } : { _tag: "Hold", ...refused }
          )
          assert.deepInclude(payout, { transactionId: null, attempts: 1 })
          assert.strictEqual(payout.waits?.reason, "may_be_paid")
          const due = yield* (yield* JobQueue).due(payoutQueue("tron"), Number.MAX_SAFE_INTEGER, 10)
          assert.deepStrictEqual(
            due.map((job) => job.key),
            [key]
          )
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(store))
    )

  it.effect("waits for an operator where the signer refuses it, once the chain denies that evidence", () =>
    Effect.gen(function* () {
      const { end, give } = yield* again
      yield* give("0x1", denied)
      const { operation, payout } = yield* end({ _tag: "Hold", ...refused })
      assert.strictEqual(operation.status, "IN_REVIEW")
      assert.strictEqual(payout.waits?.reason, "signing_refused")
    }).pipe(Effect.provide(store))
  )

  it.effect("is asked about where it goes before an operator just then", () =>
    Effect.gen(function* () {
      const { end, give, id, state } = yield* again
      yield* end({ _tag: "Requeue", reason: "x", detail: "x", at: 0, alone: false })
      const { payout } = yield* state
      yield* give("0x1")
      const why = { reason: "signing_key_revoked", detail: "The key was revoked." }
      yield* submit(id, deferPayout({ payout, ...why, nextAt: 1, unresolvedAfterMs: 1, currencies }))
      assert.strictEqual((yield* state).operation.status, "IN_REVIEW")
      assert.lengthOf(yield* due, 1)
      yield* give("0x1", denied)
      const asked = { payout: (yield* state).payout, asked: ["0x1"], nextAt: 1, currencies }
      assert.isFalse(yield* submit(id, settleHeld(asked)))
      assert.lengthOf(yield* due, 0)
    }).pipe(Effect.provide(store))
  )

  it.effect("leaves its queue where it goes before an operator and no transaction was given for it", () =>
    Effect.gen(function* () {
      const { end, id, state } = yield* again
      yield* end({ _tag: "Requeue", reason: "x", detail: "x", at: 0, alone: false })
      const { payout } = yield* state
      const why = { reason: "signing_key_revoked", detail: "The key was revoked." }
      yield* submit(id, attachEvidence({ payout, txHash: null, note: "the partner called", by: "alice" }))
      yield* submit(id, deferPayout({ payout, ...why, nextAt: 1, unresolvedAfterMs: 1, currencies }))
      assert.strictEqual((yield* state).operation.status, "IN_REVIEW")
      assert.lengthOf(yield* due, 0)
    }).pipe(Effect.provide(store))
  )
})
