import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { contradictionsOf } from "@bursar/core/operation/contradictions"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { evidencePatienceMs } from "@bursar/core/payout/evidenceOf"
import { hearAfterEnd } from "@bursar/core/payout/hearAfterEnd"
import { givenBefore } from "@bursar/core/payout/givenBefore"
import { payoutQueue } from "@bursar/core/payout/payoutQueue"
import { hashesGiven } from "@bursar/core/payout/standingEvidence"
import type { Proof, TransactionStatus } from "@bursar/core/port/ChainSender"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { closeContradiction } from "@bursar/core/resolution/closeContradiction"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  accepted,
  ethereum,
  finalOf,
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

const proven: Proof = { verdict: "PROVEN", detail: "it paid", fee: 7n }
const notFinal: Proof = { verdict: "NOT_FINAL", reason: "its block is young" }
const expired: TransactionStatus = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }

const give = Effect.fnUntraced(function* (id: TenantId, operationId: string, txHash: string, proof?: Proof) {
  const { payout } = yield* stateOf(id, operationId)
  const given = yield* submit(id, attachEvidence({ payout, txHash, note: "seen", by: "ann" }))
  if (proof !== undefined) yield* submit(id, recordEvidence(given, proof, ethereum))
  return given
})

const isDue = Effect.fnUntraced(function* (operationId: string) {
  const now = yield* Clock.currentTimeMillis
  const due = yield* (yield* JobQueue).due(payoutQueue("ethereum"), now, 100)
  return due.some(({ key }) => key === operationId)
})

/** Does what is due of a payout that is over, as the worker does once it has asked the chain. */
const hear = Effect.fnUntraced(function* (id: TenantId, operationId: string) {
  assert.isTrue(yield* isDue(operationId), "the chain is asked")
  const { payout } = yield* stateOf(id, operationId)
  const asked = yield* hashesGiven(yield* Queries, id, operationId)
  const nextAt = (yield* Clock.currentTimeMillis) + 1_000
  const heard = yield* submit(id, hearAfterEnd({ payout, asked, nextAt }))
  assert.isNotNull(heard)
  yield* ledgerHolds(id)
  const { operation } = yield* stateOf(id, operationId)
  return contradictionsOf(operation).map(({ said }) => said)
})

/** A payout whose first transaction is held to have expired. */
const triedAgain = Effect.fnUntraced(function* () {
  const { id, wallet } = yield* payer()
  const one = yield* accepted(id)
  yield* withStatus(id, yield* signed(id, yield* reserved(id, wallet, [one]), "0x1"), expired)
  return { id, one, walletId: wallet.id }
})

/** The same, in its second transaction. */
const sentAgain = Effect.fnUntraced(function* () {
  const tried = yield* triedAgain()
  const wallet = yield* walletOf(tried.id, tried.walletId)
  const transaction = yield* reserved(tried.id, wallet, [tried.one], next(wallet))
  return { ...tried, again: yield* signed(tried.id, transaction, "0x2") }
})

describe("a payout whose expired transaction has paid after all", () => {
  const twice = ["0x1 is proven to have paid it, too"]

  it.effect("is told to have been paid twice where that was proven before its second transaction is final", () =>
    Effect.gen(function* () {
      const { again, id, one } = yield* sentAgain()
      yield* give(id, one.id, "0x1", proven)
      yield* withStatus(id, again, finalOf("0x2"))
      assert.strictEqual((yield* stateOf(id, one.id)).operation.txHash, "0x2")
      assert.deepStrictEqual(yield* hear(id, one.id), twice)
      assert.isFalse(yield* isDue(one.id))
    }).pipe(Effect.provide(store))
  )

  it.effect("is told so where that is given once it is settled, and once for all where operators close it", () =>
    Effect.gen(function* () {
      const { again, id, one } = yield* sentAgain()
      yield* withStatus(id, again, finalOf("0x2"))
      assert.isFalse(yield* isDue(one.id))
      yield* give(id, one.id, "0x1", proven)
      assert.deepStrictEqual(yield* hear(id, one.id), twice)
      const { operation } = yield* stateOf(id, one.id)
      yield* submit(id, closeContradiction({ operation, by: "ann", reason: "sent back" }))
      yield* give(id, one.id, "0x1")
      assert.deepStrictEqual(yield* hear(id, one.id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is asked about for as long as the chain does not say whether it has paid", () =>
    Effect.gen(function* () {
      const { again, id, one } = yield* sentAgain()
      const given = yield* give(id, one.id, "0x1", notFinal)
      yield* withStatus(id, again, finalOf("0x2"))
      for (let n = 0; n < 2; n++) {
        assert.deepStrictEqual(yield* hear(id, one.id), [])
        assert.isFalse(yield* isDue(one.id))
        yield* TestClock.adjust(evidencePatienceMs)
      }
      yield* submit(id, recordEvidence(given, proven, ethereum))
      assert.deepStrictEqual(yield* hear(id, one.id), twice)
    }).pipe(Effect.provide(store))
  )

  it.effect("is told to be paid where it was cancelled before anybody knew", () =>
    Effect.gen(function* () {
      const { id, one } = yield* triedAgain()
      const { payout } = yield* stateOf(id, one.id)
      yield* submit(id, cancelPayout({ payout, transaction: undefined, by: "ann", currencies }))
      yield* give(id, one.id, "0x1", proven)
      assert.deepStrictEqual(yield* hear(id, one.id), ["0x1 is proven to have paid it"])
    }).pipe(Effect.provide(store))
  )

  it.effect("is told to be paid where its last transaction is held to have expired, too", () =>
    Effect.gen(function* () {
      const { again, id, one } = yield* sentAgain()
      const { payout } = yield* stateOf(id, one.id)
      yield* submit(id, cancelPayout({ payout, transaction: again, by: "ann", currencies }))
      yield* withStatus(id, { ...again, cancelled: [one.id] }, expired)
      assert.strictEqual((yield* stateOf(id, one.id)).operation.status, "FAILED")
      yield* give(id, one.id, "0x2", proven)
      assert.deepStrictEqual(yield* hear(id, one.id), ["0x2 is proven to have paid it"])
    }).pipe(Effect.provide(store))
  )

  it.effect("is told so where evidence has settled it by the one, and the other is proven as well", () =>
    Effect.gen(function* () {
      const { again, id, one } = yield* sentAgain()
      yield* give(id, one.id, "0x1", proven)
      yield* give(id, one.id, "0xunknown", proven)
      yield* withStatus(id, again, expired, ["0x1", "0xunknown"])
      const { operation } = yield* stateOf(id, one.id)
      assert.strictEqual(operation.status, "SETTLED")
      const other = operation.txHash === "0x1" ? "0xunknown" : "0x1"
      assert.deepStrictEqual(yield* hear(id, one.id), [`${other} is proven to have paid it, too`])
    }).pipe(Effect.provide(store))
  )

  it.effect("and what is proven to have paid it, too, settles no other payout once operators have booked it", () =>
    Effect.gen(function* () {
      const { again, id, one, walletId } = yield* sentAgain()
      yield* give(id, one.id, "0xunknown", proven)
      yield* withStatus(id, again, finalOf("0x2"))
      assert.deepStrictEqual(yield* hear(id, one.id), ["0xunknown is proven to have paid it, too"])
      const closing = (yield* stateOf(id, one.id)).operation
      yield* submit(id, closeContradiction({ operation: closing, by: "ann", reason: "booked by an adjustment" }))
      // another payout of as much to the same receiver
      const two = yield* accepted(id)
      const wallet = yield* walletOf(id, walletId)
      const sent = yield* signed(id, yield* reserved(id, wallet, [two], next(wallet)), "0x3")
      const { payout } = yield* stateOf(id, two.id)
      const queries = yield* Queries
      const before = yield* givenBefore(queries, id, { network: "ethereum", payout, txHash: "0xunknown" })
      const given = yield* Effect.exit(
        submit(id, attachEvidence({ payout, txHash: "0xunknown", note: "seen", by: "ann", before }))
      )
      if (given._tag === "Success") {
        yield* submit(id, recordEvidence(given.value, proven, ethereum))
        yield* withStatus(id, sent, { _tag: "Invalidated", reason: "replaced_on_chain", by: null, detail: "" }, [
          "0xunknown"
        ])
      }
      const after = (yield* stateOf(id, two.id)).operation
      assert.notStrictEqual(after.txHash, "0xunknown", `one payment of one: two is ${after.status} by it`)
    }).pipe(Effect.provide(store))
  )
})
