import { custodianQueue } from "@bursar/core/custody/CustodyStep"
import { putRecord, readRecord } from "@bursar/core/engine/Records"
import { payoutScope, withdrawalScope } from "@bursar/core/limit/limitedUsage"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { of } from "@bursar/core/money/Amount"
import { Operation } from "@bursar/core/operation/Operation"
import { reviewOf } from "@bursar/core/operation/Review"
import { Payout } from "@bursar/core/payout/Payout"
import { payoutQueue } from "@bursar/core/payout/payoutQueue"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { reviewOperation, type Verdict } from "@bursar/core/review/reviewOperation"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { transferQueue } from "@bursar/core/transfer/Transfer"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { bank, chain, found, kept, payer } from "../limit/world.ts"
import {
  baseRequest,
  eventsOf,
  float,
  keyed,
  paidIn,
  payer as transferPayer,
  refusalOf,
  store,
  submit,
  wrong
} from "../transfer/world.ts"
import { dollar, verified, withdraw } from "../withdrawal/world.ts"

/** 100 dollars' worth of each kind that waits for a review, all made with the API key `maker`. */
const kinds = {
  BANK_TRANSFER: {
    currency: "EUR",
    scope: payoutScope,
    queue: transferQueue,
    ask: (id: TenantId) => bank(id, 10_000n)
  },
  CHAIN_PAYOUT: {
    currency: "USDT_ETH",
    scope: payoutScope,
    queue: payoutQueue("ethereum"),
    ask: (id: TenantId) => chain(id, 10_000n)
  },
  WITHDRAWAL: {
    currency: "USDC_BASE",
    scope: withdrawalScope,
    queue: custodianQueue,
    ask: (id: TenantId) => withdraw(id, 100_000_000n)
  }
} as const

const waiting = Effect.fnUntraced(function* (kind: keyof typeof kinds) {
  const id = yield* payer({ payoutReviewUsd: "100", withdrawalReviewUsd: "100" })
  yield* verified(id, "0x00000000000000000000000000000000000000A1")
  const { ask, currency, queue, scope } = kinds[kind]
  const before = yield* float(id, currency)
  const operation = yield* ask(id)
  if (typeof operation === "string") return assert.fail(operation)
  assert.deepStrictEqual([operation.kind, operation.status], [kind, "IN_REVIEW"])
  const queued = Effect.gen(function* () {
    const due = yield* (yield* JobQueue).due(queue, yield* Clock.currentTimeMillis, 9)
    return due.some(({ key }) => key === operation.id)
  })
  const word = (verdict: Verdict, by: string, reason: string | null = null) =>
    Effect.map(found(id, operation.id), (read) =>
      reviewOperation({ operation: read, verdict, by, reason, currencies: defaultCurrencies })
    )
  const refused = (verdict: Verdict, by: string) =>
    Effect.flatMap(word(verdict, by), (command) => refusalOf(id, command))
  const decide = (verdict: Verdict, by: string, reason?: string) =>
    Effect.flatMap(word(verdict, by, reason), (command) => submit(id, command))
  return { before, currency, decide, id, kind, operation, queued, refused, scope }
})

const payoutOf = (id: TenantId, operation: Operation) =>
  Effect.flatMap(Queries, (queries) => queries.record(id, Payout, operation.id))

for (const kind of Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>) {
  describe(`a ${kind} that waits for a review`, () => {
    it.effect("is approved or rejected by somebody else than who asked for it, who may take it back", () =>
      Effect.gen(function* () {
        const { decide, id, operation, queued, refused } = yield* waiting(kind)
        assert.strictEqual(yield* refused("APPROVE", "maker"), "state_conflict")
        assert.strictEqual(yield* refused("REJECT", "maker"), "state_conflict")
        assert.strictEqual((yield* found(id, operation.id)).status, "IN_REVIEW")
        assert.isFalse(yield* queued)
        assert.strictEqual((yield* decide("CANCEL", "maker")).status, "FAILED")
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
    )

    it.effect("goes on its way once it is approved, and holds what it held", () =>
      Effect.gen(function* () {
        const { before, currency, decide, id, operation, queued, refused, scope } = yield* waiting(kind)
        const [held, used] = [yield* float(id, currency), yield* kept(id, scope)]
        assert.notDeepEqual(held, before)
        assert.strictEqual(used, 10_000n)
        yield* TestClock.adjust("1 hour")
        const approved = yield* decide("APPROVE", "olga", "seen")
        assert.strictEqual(approved.status, "ACCEPTED")
        assert.deepStrictEqual(reviewOf(approved), {
          state: "APPROVED",
          by: "olga",
          at: yield* Clock.currentTimeMillis,
          reason: "seen"
        })
        assert.deepStrictEqual(yield* found(id, operation.id), approved)
        assert.isTrue(yield* queued)
        assert.deepStrictEqual([yield* float(id, currency), yield* kept(id, scope)], [held, used])
        if (kind === "CHAIN_PAYOUT")
          assert.deepInclude(yield* payoutOf(id, operation), { waits: null, reviewedBy: "olga", cancelledBy: null })
        for (const verdict of ["APPROVE", "REJECT", "CANCEL"] as const)
          assert.strictEqual(yield* refused(verdict, "otto"), "state_conflict")
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
    )

    for (const [verdict, why] of [
      ["REJECT", "review_rejected"],
      ["CANCEL", "cancelled_by_operator"]
    ] as const) {
      it.effect(`gives back what it held and counts for no limit on ${verdict}`, () =>
        Effect.gen(function* () {
          const { before, currency, decide, id, operation, queued, refused, scope } = yield* waiting(kind)
          const after = yield* decide(verdict, "olga", "no")
          assert.strictEqual(after.status, "FAILED")
          assert.deepInclude(after.details, { failure_reason: why })
          assert.deepInclude(reviewOf(after), { state: "REJECTED", by: "olga", reason: "no" })
          assert.deepStrictEqual(yield* found(id, operation.id), after)
          assert.deepStrictEqual(yield* float(id, currency), before)
          assert.strictEqual(yield* kept(id, scope), 0n)
          assert.isFalse(yield* queued)
          assert.lengthOf(
            (yield* eventsOf(id, operation)).filter((one) => one.endsWith(".failed")),
            1
          )
          if (kind === "CHAIN_PAYOUT")
            assert.deepInclude(yield* payoutOf(id, operation), {
              waits: null,
              reviewedBy: verdict === "REJECT" ? "olga" : null,
              cancelledBy: verdict === "CANCEL" ? "olga" : null
            })
          assert.strictEqual(yield* refused("APPROVE", "otto"), "state_conflict")
          assert.deepStrictEqual(yield* wrong(id), [])
        }).pipe(Effect.provide(store))
      )
    }

    it.effect("is not given back where its provider has told of it: it may be on its way", () =>
      Effect.gen(function* () {
        const { before, currency, id, operation, refused } = yield* waiting(kind)
        yield* submit(id, {
          name: "Tell",
          reads: [readRecord(Operation, operation.id)],
          decide: () =>
            Result.succeed({
              changes: [putRecord(Operation, { ...operation, providerReference: "x" })],
              reply: undefined
            })
        })
        for (const verdict of ["APPROVE", "REJECT", "CANCEL"] as const)
          assert.strictEqual(yield* refused(verdict, "olga"), "state_conflict")
        assert.notDeepEqual(yield* float(id, currency), before)
      }).pipe(Effect.provide(store))
    )

    it.effect("is reviewed among its tenant's alone", () =>
      Effect.gen(function* () {
        const { operation } = yield* waiting(kind)
        const other = yield* payer()
        const command = reviewOperation({
          operation,
          verdict: "REJECT",
          by: "olga",
          reason: null,
          currencies: defaultCurrencies
        })
        assert.strictEqual(yield* refusalOf(other, command), "not_found")
      }).pipe(Effect.provide(store))
    )
  })
}

describe("a CHAIN_PAYOUT whose transaction has expired, and that waits for a review now", () => {
  for (const [verdict, status] of [
    ["APPROVE", "ACCEPTED"],
    ["REJECT", "FAILED"],
    ["CANCEL", "FAILED"]
  ] as const) {
    it.effect(`ends or goes on by ${verdict}, though it names what has expired`, () =>
      Effect.gen(function* () {
        const { decide, id, operation } = yield* waiting("CHAIN_PAYOUT")
        yield* submit(id, {
          name: "Expire",
          reads: [readRecord(Operation, operation.id), readRecord(Payout, operation.id)],
          decide: (view) => {
            const payout = view.get(Payout, operation.id)
            if (payout === undefined) throw new Error("it is there")
            return Result.succeed({
              changes: [
                putRecord(Operation, { ...operation, providerReference: "0xexpired" }),
                putRecord(Payout, { ...payout, earlierTransactions: ["019845e1-682f-7b02-a706-000000000009"] })
              ],
              reply: undefined
            })
          }
        })
        assert.strictEqual((yield* decide(verdict, "olga", "seen")).status, status)
      }).pipe(Effect.provide(store))
    )
  }
})

describe("a refund that waits for a review", () => {
  for (const verdict of ["REJECT", "CANCEL"] as const)
    it.effect(`can be asked for again after ${verdict}, and not before`, () =>
      Effect.gen(function* () {
        const id = yield* transferPayer({ payoutReviewUsd: "1" })
        const source = yield* paidIn(id)
        const before = yield* float(id)
        const ask = Effect.gen(function* () {
          const usd = yield* dollar()
          const refund = { refundOf: source.id, name: "x" }
          const amount = of(10_000n, "EUR")
          return yield* keyed(id, createTransfer(baseRequest({ kind: "REFUND", amount, payee: null, refund, usd })))
        })
        const operation = yield* ask
        if (typeof operation === "string") return assert.fail(operation)
        assert.strictEqual(operation.status, "IN_REVIEW")
        assert.strictEqual(yield* ask, "insufficient_balance")
        const command = { operation, verdict, by: "olga", reason: null, currencies: defaultCurrencies }
        const ended = yield* submit(id, reviewOperation(command))
        const why = verdict === "REJECT" ? "review_rejected" : "cancelled_by_operator"
        assert.deepInclude(ended.details, { failure_reason: why })
        assert.strictEqual(ended.status, "FAILED")
        assert.deepStrictEqual(yield* float(id), before)
        assert.notStrictEqual(typeof (yield* ask), "string")
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
    )
})
