import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { type DeferPayout, deferPayout, failPayout } from "@bursar/core/payout/deferPayout"
import { failedFor, payoutDetails, provenBy, provenHash } from "@bursar/core/payout/payoutDetails"
import { payoutQueue } from "@bursar/core/payout/payoutQueue"
import { purposes } from "@bursar/core/purposes"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { ReleaseOutcome } from "@bursar/core/transaction/PurposeRule"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  accepted,
  eventsOf,
  finalOf,
  float,
  ledgerHolds,
  next,
  payer,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  walletOf,
  withStatus
} from "./world.ts"

const dueAt = Effect.fnUntraced(function* (key: string) {
  const jobs = yield* (yield* JobQueue).due(payoutQueue("ethereum"), Number.MAX_SAFE_INTEGER, 100)
  return jobs.find((job) => job.key === key)?.dueAt
})

const defer = Effect.fnUntraced(function* (id: TenantId, operationId: string, more: Partial<DeferPayout> = {}) {
  const { payout } = yield* stateOf(id, operationId)
  const wait = { reason: "fees_unknown", detail: "no node tells", nextAt: 77_000, unresolvedAfterMs: 5_000 }
  return yield* submit(id, deferPayout({ payout, currencies, ...wait, ...more }))
})

const release = Effect.fnUntraced(function* (id: TenantId, operationId: string, outcome: ReleaseOutcome) {
  const { transaction } = yield* stateOf(id, operationId)
  if (transaction === undefined) return yield* Effect.die(new Error("it is in no transaction"))
  return yield* submit(id, releaseTransaction({ transaction, outcome, purposes, currencies }))
})

describe("a payout that waits", () => {
  it.effect("says for what and since when, counts how often it was tried, and is flagged once it is too long", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const operation = yield* accepted(id)
      yield* TestClock.setTime(1_000)
      const first = yield* defer(id, operation.id)
      const waits = { reason: "fees_unknown", detail: "no node tells", since: 1_000, tries: 1 }
      assert.deepStrictEqual(first?.waits, waits)
      const { tries: _, ...told } = waits
      assert.deepStrictEqual((yield* stateOf(id, operation.id)).operation.details.waits, told)
      assert.strictEqual(yield* dueAt(operation.id), 77_000)
      yield* TestClock.setTime(5_999)
      assert.deepInclude((yield* defer(id, operation.id))?.waits, { since: 1_000, tries: 2 })
      assert.isFalse((yield* stateOf(id, operation.id)).operation.unresolved)
      yield* TestClock.setTime(6_000)
      yield* defer(id, operation.id, { reason: "insufficient_wallet", detail: "it is empty" })
      const { operation: flagged, payout } = yield* stateOf(id, operation.id)
      assert.isTrue(flagged.unresolved)
      assert.deepStrictEqual(payout.waits, {
        reason: "insufficient_wallet",
        detail: "it is empty",
        since: 1_000,
        tries: 3
      })
      assert.deepStrictEqual(yield* eventsOf(id), ["chain_payout.unresolved"])
      assert.strictEqual((yield* float(id)).held, 101_000_000n)
    }).pipe(Effect.provide(store))
  )

  it.effect("goes before an operator where people have to answer for it, and leaves its queue", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const operation = yield* accepted(id)
      yield* defer(id, operation.id, { reason: "signing_key_revoked", detail: "The key was revoked." })
      const { operation: held, payout } = yield* stateOf(id, operation.id)
      assert.strictEqual(held.status, "IN_REVIEW")
      assert.deepInclude(held.details.review, { state: "PENDING", reason: "The key was revoked." })
      assert.deepInclude(payout.waits, { reason: "signing_key_revoked", tries: 1 })
      assert.isUndefined(yield* dueAt(operation.id))
      assert.isNull(yield* defer(id, operation.id), "and waits for nothing else")
    }).pipe(Effect.provide(store))
  )

  it.effect("leaves its queue where it is in a transaction, or over", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const transaction = yield* reserved(id, wallet, [operation])
      assert.isNull(yield* defer(id, operation.id))
      assert.isUndefined(yield* dueAt(operation.id))
      yield* withStatus(id, yield* signed(id, transaction, "0x1"), finalOf("0x1"))
      assert.isNull(yield* defer(id, operation.id))
    }).pipe(Effect.provide(store))
  )

  it.effect("fails where it is certain that it cannot be made, once, and gives back what it held", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const [one, other] = [yield* accepted(id), yield* accepted(id)]
      const fail = Effect.fnUntraced(function* (operationId: string) {
        const { payout } = yield* stateOf(id, operationId)
        return yield* submit(id, failPayout({ payout, reason: "destination_invalid", currencies }))
      })
      assert.strictEqual((yield* fail(one.id))?.operationId, one.id)
      assert.deepInclude((yield* stateOf(id, one.id)).operation.details, { failure_reason: "destination_invalid" })
      assert.isUndefined(yield* dueAt(one.id))
      assert.isNull(yield* fail(one.id))
      yield* reserved(id, wallet, [other])
      assert.isNull(yield* fail(other.id))
      assert.deepStrictEqual(yield* float(id), { available: 899_000_000n, held: 101_000_000n })
      assert.deepStrictEqual(yield* eventsOf(id), ["chain_payout.failed"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})

describe("a payout whose transaction was released unsigned", () => {
  it.effect("waits for another one, which is no further attempt, and keeps whether it has to be alone", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      let isAlone = false
      for (const alone of [false, true, false]) {
        yield* reserved(id, wallet, [operation], next(yield* walletOf(id, wallet.id)))
        const outcome = { _tag: "Requeue", reason: "asset_blocked", detail: "paused", at: 88_000, alone } as const
        yield* release(id, operation.id, outcome)
        const { operation: now, payout } = yield* stateOf(id, operation.id)
        isAlone ||= alone
        assert.deepInclude(payout, { transactionId: null, attempts: 0, alone: isAlone })
        // what is put into a transaction waits for nothing, so it begins anew
        assert.deepInclude(payout.waits, { reason: "asset_blocked", detail: "paused", tries: 1 })
        assert.strictEqual(now.details.waits?.reason, "asset_blocked")
        assert.strictEqual(yield* dueAt(operation.id), 88_000)
      }
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("waits for an operator where time does not mend it", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      yield* reserved(id, wallet, [operation])
      yield* release(id, operation.id, { _tag: "Hold", reason: "strange", detail: "somebody has written it" })
      const { operation: now, payout } = yield* stateOf(id, operation.id)
      assert.isUndefined(yield* dueAt(operation.id))
      assert.deepInclude(payout, { transactionId: null, attempts: 0 })
      assert.deepInclude(payout.waits, { reason: "strange", detail: "somebody has written it", tries: 1 })
      assert.strictEqual(now.details.waits?.detail, "somebody has written it")
      assert.deepStrictEqual([now.status, now.details.review?.state], ["IN_REVIEW", "PENDING"])
      assert.strictEqual((yield* float(id)).held, 101_000_000n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})

describe("the details of a payout", () => {
  it("tell its receiver, its memo as the network reads it, and what became of it", () => {
    const none = { address: null, memo: null, fromAddress: null, review: null, failureReason: null }
    assert.deepStrictEqual(payoutDetails({ details: {} }), none)
    const told = payoutDetails({
      details: {
        destination: { address: "G", memo: "7", memo_type: "id" },
        from_address: "W",
        failure_reason: "reverted_on_chain",
        review: { state: "APPROVED" }
      }
    })
    assert.deepInclude(told, {
      address: "G",
      fromAddress: "W",
      failureReason: "reverted_on_chain",
      review: "APPROVED"
    })
    assert.isNotNull(told.memo)
    const untyped = payoutDetails({ details: { destination: { address: "G", memo: "7", memo_type: null } } })
    assert.strictEqual(untyped.memo, "7")
    assert.deepStrictEqual(failedFor({ details: { asked: 1 } }, "expired_unsent"), {
      asked: 1,
      failure_reason: "expired_unsent"
    })
  })

  it.effect("name the transaction that was proven to have made it", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const operation = yield* accepted(id)
      assert.isNull(provenHash(operation))
      for (const [fee, more] of [
        [null, {}],
        [5n, { network_fee: "5" }]
      ] as const) {
        const details = provenBy(operation, { by: "alice", fee, hash: "0xe" })
        assert.deepStrictEqual(details.proven_by, { tx_hash: "0xe", given_by: "alice", ...more })
        assert.strictEqual(provenHash({ details }), "0xe")
      }
    }).pipe(Effect.provide(store))
  )
})
