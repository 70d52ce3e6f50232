import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { evidencePatienceMs } from "@bursar/core/payout/evidenceOf"
import { givenBefore } from "@bursar/core/payout/givenBefore"
import { holdSignedBefore } from "@bursar/core/payout/holdSignedBefore"
import { isGivenForAll } from "@bursar/core/payout/isGivenForAll"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { settleHeld } from "@bursar/core/payout/settleHeld"
import type { Proof } from "@bursar/core/port/ChainSender"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  accepted,
  finalOf,
  ledgerHolds,
  next,
  outside,
  payer,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  usdt,
  withStatus,
  ethereum
} from "./world.ts"

const proven: Proof = { verdict: "PROVEN", detail: "it paid", fee: 7n }
const denied: Proof = { verdict: "NOT_PROVEN", reason: "not so" }
const unreadable: Proof = { verdict: "UNREADABLE", reason: "no answer" }
const lost = "0xlost"

const elsewhere = "0x00000000000000000000000000000000000000A7"

/** An operator gives the transaction for a payout, and the chain is asked about it where a proof is given: `given`, or why it is refused. */
const give = Effect.fnUntraced(function* (id: TenantId, operationId: string, proof?: Proof) {
  const { payout } = yield* stateOf(id, operationId)
  const before = yield* givenBefore(yield* Queries, id, { network: payout.network, payout, txHash: lost })
  const result = yield* Effect.result(
    submit(id, attachEvidence({ payout, txHash: lost, note: "seen", by: "alice", before }))
  )
  if (Result.isFailure(result)) return result.failure._tag === "Refusal" ? result.failure.code : result.failure._tag
  if (proof !== undefined) yield* submit(id, recordEvidence(result.success, proof, ethereum))
  return "given"
})

/** A payout that waits for an operator, who was told of the transaction. */
const held = Effect.fnUntraced(function* (id: TenantId, value: string | null = null, to = outside) {
  const memo = value === null ? null : ({ type: "id", value } as const)
  const { id: operationId } = yield* accepted(id, { order: usdt({ to, memo }) })
  const { payout } = yield* stateOf(id, operationId)
  yield* submit(id, holdSignedBefore({ payout, hashes: [lost], currencies }))
  return operationId
})

const settle = Effect.fnUntraced(function* (id: TenantId, operationId: string) {
  const { payout } = yield* stateOf(id, operationId)
  yield* submit(id, settleHeld({ payout, asked: [lost], nextAt: 1, currencies }))
  return (yield* stateOf(id, operationId)).operation.status
})

const reject = Effect.fnUntraced(function* (id: TenantId, operationId: string) {
  const { operation } = yield* stateOf(id, operationId)
  yield* submit(id, reviewOperation({ operation, verdict: "REJECT", by: "bob", reason: null, currencies }))
  return (yield* stateOf(id, operationId)).operation.status
})

/** A payout that is settled by its own transaction, after the one that is lost was given for it with this answer of the chain. */
const settledByItsOwn = Effect.fnUntraced(function* (proof: Proof | undefined, value: string | null) {
  const { id, wallet } = yield* payer()
  const memo = value === null ? null : ({ type: "id", value } as const)
  const one = yield* accepted(id, { order: usdt({ memo }) })
  const own = yield* signed(id, yield* reserved(id, wallet, [one], next(wallet)), "0xown")
  assert.strictEqual(yield* give(id, one.id, proof), "given")
  yield* withStatus(id, own, finalOf("0xown"), [lost])
  assert.deepInclude((yield* stateOf(id, one.id)).operation, { status: "SETTLED", txHash: "0xown" })
  return { id, one: one.id }
})

describe("a transaction that was given for a payout by mistake", () => {
  for (const [first, second] of [
    [null, null],
    ["1", "2"],
    ["1", null],
    [null, "2"]
  ] as const)
    for (const proof of [undefined, unreadable])
      it.effect(
        `speaks for the one that it has paid once the other is settled by its own, after a day without an answer; ${first}, ${second}, ${proof?.verdict}`,
        () =>
          Effect.gen(function* () {
            const { id, one } = yield* settledByItsOwn(proof, first)
            const paid = yield* held(id, second)
            assert.strictEqual(
              yield* give(id, paid, proven),
              "state_conflict",
              "the chain is still asked about the other"
            )
            yield* TestClock.adjust(evidencePatienceMs)
            assert.strictEqual(yield* give(id, paid, proven), "given")
            assert.strictEqual(yield* settle(id, paid), "SETTLED")
            assert.strictEqual((yield* stateOf(id, one)).operation.txHash, "0xown")
            yield* ledgerHolds(id)
          }).pipe(Effect.provide(store))
      )

  it.effect("speaks for the one that it has paid once the other is rejected, after a day without an answer", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const [one, paid] = [yield* held(id, "1"), yield* held(id, "2")]
      assert.strictEqual(yield* give(id, one, unreadable), "given")
      assert.strictEqual(yield* give(id, paid), "state_conflict", "while the other is open")
      yield* TestClock.adjust(evidencePatienceMs)
      assert.strictEqual(yield* reject(id, one), "FAILED")
      assert.strictEqual(yield* give(id, paid, proven), "given")
      assert.strictEqual(yield* settle(id, paid), "SETTLED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  for (const proof of [{ verdict: "NOT_FINAL", reason: "in a block" }, proven] as const)
    it.effect(`stays with the other while that may be paid twice, and once it is: ${proof.verdict}`, () =>
      Effect.gen(function* () {
        const { id } = yield* settledByItsOwn(proof, null)
        yield* TestClock.adjust(evidencePatienceMs)
        assert.strictEqual(yield* give(id, yield* held(id), proven), "state_conflict")
        assert.strictEqual(yield* give(id, yield* held(id, null, elsewhere), proven), "given", "beside it, in a batch")
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )

  it.effect("stays with the one that it has paid, however that is over", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const [paid, other] = [yield* held(id), yield* held(id)]
      assert.strictEqual(yield* give(id, paid, proven), "given")
      assert.strictEqual(yield* settle(id, paid), "SETTLED")
      assert.strictEqual(yield* give(id, other, proven), "state_conflict")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is counted once where one of those that share it gives its place to another", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const one = yield* held(id)
      const [rejected, another] = [yield* held(id, null, elsewhere), yield* held(id, null, elsewhere)]
      const withMemo = yield* held(id, "5")
      for (const shares of [one, rejected]) assert.strictEqual(yield* give(id, shares, unreadable), "given")
      yield* TestClock.adjust(evidencePatienceMs)
      assert.strictEqual(yield* reject(id, rejected), "FAILED")
      assert.strictEqual(yield* give(id, another), "given")
      for (const shares of [one, another]) assert.strictEqual(yield* give(id, shares, denied), "given")
      assert.strictEqual(yield* give(id, withMemo, proven), "given")
      assert.strictEqual(yield* settle(id, withMemo), "SETTLED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not taken to be given for all of a batch by what is set aside of one that pays the same receiver", () =>
    Effect.gen(function* () {
      const { id, one } = yield* settledByItsOwn(unreadable, null)
      yield* TestClock.adjust(evidencePatienceMs)
      const taken = yield* held(id, null, elsewhere)
      const twin = yield* held(id)
      assert.strictEqual(yield* give(id, taken), "given")
      const { payout } = yield* stateOf(id, twin)
      const payments = [one, twin].map((operationId) => ({ ...payout, operationId }))
      const isForAll = Effect.gen(function* () {
        const queries = yield* Queries
        const all = yield* Effect.forEach([one, twin], (of) => queries.records(id, PayoutEvidence, of))
        return isGivenForAll({ payments }, all.flat(), lost)
      })
      assert.isFalse(yield* isForAll)
      assert.strictEqual(yield* give(id, twin), "given")
      assert.isTrue(yield* isForAll)
    }).pipe(Effect.provide(store))
  )
})
