import { purposes } from "@bursar/core/purposes"
import { recordBroadcast } from "@bursar/core/transaction/recordBroadcast"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  accepted,
  ledgerHolds,
  eventsOf,
  withStatus,
  finalOf,
  float,
  next,
  payer,
  reserved,
  signed,
  transactionOf,
  stateOf,
  store,
  submit,
  walletOf,
  ethereum
} from "./world.ts"

const currencies = defaultCurrencies
const replaced: TransactionStatus = { _tag: "Invalidated", reason: "replaced_on_chain", by: "0xforeign", detail: "" }
const expired: TransactionStatus = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }

const cancel = Effect.fnUntraced(function* (tenantId: TenantId, id: string) {
  const { payout, transaction } = yield* stateOf(tenantId, id)
  return yield* submit(tenantId, cancelPayout({ payout, transaction, by: "operator", currencies }))
})

describe("the life of a chain payout", () => {
  it.effect("holds amount and fee, is sent, settles once, and books what the network took", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      assert.deepStrictEqual(yield* float(id), { available: 899_000_000n, held: 101_000_000n })
      const transaction = yield* reserved(id, wallet, [operation])
      assert.deepStrictEqual(transaction.guard, { _tag: "Sequence", account: wallet.address, sequence: 7n })
      assert.strictEqual((yield* stateOf(id, operation.id)).operation.status, "PROCESSING")
      const one = yield* signed(id, transaction, "0x1")
      assert.strictEqual((yield* stateOf(id, operation.id)).operation.providerReference, "0x1")
      const sent = yield* submit(
        id,
        recordBroadcast({ transaction: one, hash: "0x1", answer: { _tag: "Accepted" }, nextAt: 1_000, purposes })
      )
      assert.strictEqual(sent?.phase, "BROADCAST")
      assert.strictEqual((yield* stateOf(id, operation.id)).operation.status, "SENT")
      yield* withStatus(id, one, { _tag: "Included", hash: "0x1", blockNumber: 9 })
      assert.strictEqual((yield* stateOf(id, operation.id)).transaction?.phase, "INCLUDED")
      assert.deepStrictEqual((yield* walletOf(id, wallet.id)).committed, [])
      for (let again = 0; again < 2; again++) yield* withStatus(id, one, finalOf("0x1"))
      const end = yield* stateOf(id, operation.id)
      assert.deepInclude(end.operation, { status: "SETTLED", txHash: "0x1", unresolved: false })
      assert.deepStrictEqual(end.operation.networkFee, { units: 21_000n, currency: "ETH" })
      assert.deepInclude(end.transaction, { phase: "FINAL", outcome: "done", fee: 21_000n })
      assert.deepStrictEqual(yield* float(id), { available: 899_000_000n, held: 0n })
      assert.deepStrictEqual(yield* eventsOf(id), ["chain_payout.settled"])
      assert.deepInclude(yield* walletOf(id, wallet.id), { openTransactions: 0, nextSequence: 8n })
      const legs = yield* (yield* Queries).legs(id, operation.id)
      assert.deepStrictEqual(
        legs.filter(({ what }) => what !== "hold").map(({ account, direction, units }) => [account, direction, units]),
        [
          ["float:held", "DEBIT", 100_000_000n],
          ["float:held", "DEBIT", 1_000_000n],
          ["chain:ethereum:payouts", "CREDIT", 100_000_000n],
          ["fees", "CREDIT", 1_000_000n],
          ["network_fees", "DEBIT", 21_000n],
          ["chain:ethereum:payouts", "CREDIT", 21_000n]
        ]
      )
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  const failures: ReadonlyArray<readonly [string, TransactionStatus, string]> = [
    ["a final transaction that reverted", finalOf("0x1", "reverted"), "reverted_on_chain"],
    ["a foreign transaction that took the number", replaced, "replaced_on_chain"]
  ]
  for (const [what, status, reason] of failures) {
    it.effect(`fails by ${what}, and gives back what it held`, () =>
      Effect.gen(function* () {
        const { id, wallet } = yield* payer()
        const operation = yield* accepted(id)
        const transaction = yield* signed(id, yield* reserved(id, wallet, [operation]), "0x1")
        yield* withStatus(id, transaction, status)
        const end = yield* stateOf(id, operation.id)
        assert.deepInclude(end.operation, { status: "FAILED" })
        assert.strictEqual(end.operation.details.failure_reason, reason)
        assert.deepStrictEqual(yield* float(id), { available: 1_000_000_000n, held: 0n })
        assert.deepStrictEqual(yield* eventsOf(id), ["chain_payout.failed"])
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )
  }

  it.effect("is not concluded by a transaction that did not do what it was for, or that nobody signed", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const transaction = yield* signed(id, yield* reserved(id, wallet, [operation]), "0x1")
      for (const status of [finalOf("0x1", "missing"), finalOf("0xother")]) yield* withStatus(id, transaction, status)
      const end = yield* stateOf(id, operation.id)
      assert.deepInclude(end.operation, { status: "PROCESSING", unresolved: true })
      assert.deepStrictEqual(yield* eventsOf(id), ["chain_payout.unresolved"])
      assert.strictEqual((yield* float(id)).held, 101_000_000n)
      yield* withStatus(id, transaction, finalOf("0x1"))
      assert.deepInclude((yield* stateOf(id, operation.id)).operation, { status: "SETTLED", unresolved: false })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is settled by another transaction where its own did not do what it was for, if the chain proves that of all",
    () =>
      Effect.gen(function* () {
        const { id, wallet } = yield* payer()
        const [one, other] = [yield* accepted(id), yield* accepted(id)]
        const transaction = yield* signed(id, yield* reserved(id, wallet, [one, other]), "0x1")
        const missing = finalOf("0x1", "missing")
        const feeOfEvidence = 4_000n
        const [hash, otherHash] = [`0x${"ab".repeat(32)}`, `0x${"cd".repeat(32)}`]
        const prove = Effect.fnUntraced(function* (
          operationId: string,
          txHash: string,
          verdict: "PROVEN" | "NOT_PROVEN"
        ) {
          const { payout } = yield* stateOf(id, operationId)
          const given = yield* submit(id, attachEvidence({ payout, txHash, note: "seen", by: "alice" }))
          yield* submit(
            id,
            recordEvidence(
              given,
              verdict === "PROVEN" ? { verdict, detail: "paid", fee: feeOfEvidence } : { verdict, reason: "not paid" },
              ethereum
            )
          )
        })
        yield* prove(one.id, hash, "PROVEN")
        yield* withStatus(id, transaction, missing, [hash])
        for (const { id: operationId } of [one, other])
          assert.deepInclude((yield* stateOf(id, operationId)).operation, { status: "PROCESSING", unresolved: true })
        yield* prove(other.id, otherHash, "PROVEN")
        // a proof that the chain was not asked for in this round is none
        yield* withStatus(id, transaction, missing, [hash])
        assert.strictEqual((yield* stateOf(id, one.id)).operation.status, "PROCESSING")
        yield* withStatus(id, transaction, missing, [hash, otherHash])
        for (const [{ id: operationId }, txHash] of [
          [one, hash],
          [other, otherHash]
        ] as const) {
          const { operation } = yield* stateOf(id, operationId)
          assert.deepInclude(operation, { status: "SETTLED", unresolved: false, txHash })
          assert.deepStrictEqual(operation.details.proven_by, {
            tx_hash: txHash,
            given_by: "alice",
            network_fee: `${feeOfEvidence}`
          })
          // its share of the transaction that did nothing, and all of the one that paid
          assert.strictEqual(operation.networkFee?.units, 21_000n / 2n + feeOfEvidence)
          const legs = yield* (yield* Queries).legs(id, operation.id)
          assert.deepStrictEqual(
            legs.filter(({ what }) => what === "network_fee").map(({ account, units }) => [account, units]),
            [
              ["network_fees", feeOfEvidence],
              ["chain:ethereum:payouts", feeOfEvidence]
            ]
          )
        }
        assert.deepInclude(yield* transactionOf(id, transaction.id), { phase: "FINAL", outcome: "done", fee: 21_000n })
        assert.strictEqual((yield* float(id)).held, 0n)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
  )

  it.effect("is flagged once when it waits for too long, and no time fails it", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const transaction = yield* signed(id, yield* reserved(id, wallet, [operation]), "0x1")
      yield* withStatus(id, transaction, { _tag: "Pending", known: true })
      assert.isFalse((yield* stateOf(id, operation.id)).operation.unresolved)
      yield* TestClock.adjust("30 days")
      for (let again = 0; again < 3; again++) yield* withStatus(id, transaction, { _tag: "Pending", known: false })
      assert.deepInclude((yield* stateOf(id, operation.id)).operation, { status: "PROCESSING", unresolved: true })
      assert.deepStrictEqual(yield* eventsOf(id), ["chain_payout.unresolved"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is tried three times where it expires unsent, then fails", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      for (const attempt of [1, 2, 3]) {
        const now = yield* walletOf(id, wallet.id)
        const transaction = yield* reserved(id, wallet, [operation], next(now))
        assert.deepStrictEqual(transaction.guard, { _tag: "Sequence", account: wallet.address, sequence: 7n })
        yield* withStatus(id, yield* signed(id, transaction, `0x${attempt}`), expired)
        const { payout } = yield* stateOf(id, operation.id)
        assert.strictEqual(payout.attempts, attempt)
      }
      const end = yield* stateOf(id, operation.id)
      assert.strictEqual(end.operation.details.failure_reason, "expired_unsent")
      assert.deepStrictEqual(yield* float(id), { available: 1_000_000_000n, held: 0n })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("does not fail by an expiry that was read before it was cancelled: the signer is asked first", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const before = yield* signed(id, yield* reserved(id, wallet, [operation]), "0x1")
      const { payout, transaction } = yield* stateOf(id, operation.id)
      yield* submit(id, cancelPayout({ payout, transaction, by: "vera", currencies }))
      yield* withStatus(id, before, expired)
      const { operation: now, transaction: after } = yield* stateOf(id, operation.id)
      assert.deepStrictEqual([now.status, after?.phase], ["PROCESSING", "SIGNED"])
      yield* withStatus(id, after ?? before, expired)
      assert.strictEqual((yield* stateOf(id, operation.id)).operation.status, "FAILED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("fills a number that was given up while others came after it", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const [one, two] = [yield* accepted(id), yield* accepted(id)]
      const first = yield* reserved(id, wallet, [one])
      const second = yield* reserved(id, wallet, [two])
      assert.deepStrictEqual(
        [first.guard, second.guard].map((guard) => (guard._tag === "Sequence" ? guard.sequence : null)),
        [7n, 8n]
      )
      yield* submit(
        id,
        releaseTransaction({
          transaction: first,
          outcome: { _tag: "Fail", reason: "destination_invalid" },
          currencies,
          purposes
        })
      )
      const filler = yield* transactionOf(id, first.id)
      assert.deepInclude(filler, { purpose: "CANCEL", phase: "RESERVED", payments: [] })
      assert.strictEqual((yield* stateOf(id, one.id)).operation.details.failure_reason, "destination_invalid")
      const noop = yield* signed(id, filler, "0xnoop")
      yield* withStatus(id, noop, finalOf("0xnoop"))
      yield* withStatus(id, yield* signed(id, second, "0x2"), finalOf("0x2"))
      assert.strictEqual((yield* stateOf(id, two.id)).operation.status, "SETTLED")
      assert.deepInclude(yield* walletOf(id, wallet.id), { openTransactions: 0, nextSequence: 9n, committed: [] })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("gives a number again that was the last and not used", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      const transaction = yield* reserved(id, wallet, [operation])
      const at = 60_000
      yield* submit(
        id,
        releaseTransaction({
          transaction,
          outcome: { _tag: "Requeue", reason: "insufficient_wallet", detail: "", at, alone: false },
          currencies,
          purposes
        })
      )
      assert.deepInclude(yield* walletOf(id, wallet.id), { openTransactions: 0, nextSequence: 7n, committed: [] })
      assert.deepInclude((yield* stateOf(id, operation.id)).payout, { transactionId: null, attempts: 0 })
      const again = yield* reserved(id, wallet, [operation])
      assert.deepInclude(again.guard, { sequence: 7n })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("cancels at once what was not signed, and by proof alone what was", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const [held, signedOne, paidAnyway] = [yield* accepted(id), yield* accepted(id), yield* accepted(id)]
      assert.strictEqual((yield* cancel(id, held.id)).state, "cancelled")
      assert.strictEqual((yield* stateOf(id, held.id)).operation.details.failure_reason, "cancelled_by_operator")
      const transaction = yield* signed(id, yield* reserved(id, wallet, [signedOne]), "0x1")
      assert.strictEqual((yield* cancel(id, signedOne.id)).state, "trying")
      assert.strictEqual((yield* stateOf(id, signedOne.id)).operation.status, "PROCESSING")
      const noop = yield* signed(id, yield* transactionOf(id, transaction.id), "0xnoop", { pays: [], replaces: "0x1" })
      yield* withStatus(id, noop, finalOf("0xnoop"))
      assert.strictEqual((yield* stateOf(id, signedOne.id)).operation.details.failure_reason, "cancelled_by_operator")
      const other = yield* signed(id, yield* reserved(id, wallet, [paidAnyway]), "0x2")
      yield* cancel(id, paidAnyway.id)
      const rival = yield* signed(id, yield* transactionOf(id, other.id), "0xnoop2", { pays: [], replaces: "0x2" })
      yield* withStatus(id, rival, finalOf("0x2"))
      assert.strictEqual((yield* stateOf(id, paidAnyway.id)).operation.status, "SETTLED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("waits for another than its maker where it is worth a review", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({ payoutReviewUsd: "50" })
      const [good, bad] = [yield* accepted(id), yield* accepted(id)]
      assert.deepStrictEqual([good.status, (yield* float(id)).held], ["IN_REVIEW", 202_000_000n])
      yield* ledgerHolds(id)
      const word = Effect.fnUntraced(function* (operationId: string, approve: boolean, by: string) {
        const { operation } = yield* stateOf(id, operationId)
        const verdict = approve ? "APPROVE" : "REJECT"
        return yield* submit(id, reviewOperation({ operation, verdict, by, reason: null, currencies }))
      })
      assert.strictEqual((yield* Effect.flip(word(good.id, true, "maker")))._tag, "Refusal")
      assert.strictEqual((yield* word(good.id, true, "checker")).status, "ACCEPTED")
      assert.strictEqual((yield* word(bad.id, false, "checker")).details.failure_reason, "review_rejected")
      assert.strictEqual((yield* Effect.flip(word(bad.id, true, "checker")))._tag, "Refusal")
      yield* reserved(id, wallet, [good])
      assert.strictEqual((yield* float(id)).held, 101_000_000n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})
