import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { failPayout } from "@bursar/core/payout/deferPayout"
import { evidencePatienceMs } from "@bursar/core/payout/evidenceOf"
import { holdSignedBefore } from "@bursar/core/payout/holdSignedBefore"
import { settleHeld } from "@bursar/core/payout/settleHeld"
import { putRecord } from "@bursar/core/engine/Records"
import { Operation } from "@bursar/core/operation/Operation"
import { writing } from "@bursar/testkit/fixtures/commands"
import type { Payout } from "@bursar/core/payout/Payout"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { GuardRequest } from "@bursar/core/transaction/reserveGuard"
import type { Proof, TransactionStatus } from "@bursar/core/port/ChainSender"
import { reviewOperation } from "@bursar/core/review/reviewOperation"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  accepted,
  ledgerHolds,
  next,
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

const expired: TransactionStatus = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }
const proven: Proof = { verdict: "PROVEN", detail: "it paid", fee: 7n }
const denied: Proof = { verdict: "NOT_PROVEN", reason: "not so" }
const lost = "0xlost"

/** An operator gives a transaction for a payout; the chain is asked about it where a proof is given. */
const give = Effect.fnUntraced(function* (id: TenantId, operationId: string, txHash: string, proof?: Proof) {
  const { payout } = yield* stateOf(id, operationId)
  const evidence = yield* submit(id, attachEvidence({ payout, txHash, note: "seen", by: "alice" }))
  if (proof !== undefined) yield* submit(id, recordEvidence(evidence, proof, ethereum))
})

/** A payout that waits for an operator, who was told of a transaction that only the signer knows. */
const held = Effect.gen(function* () {
  const { id, wallet } = yield* payer()
  const { id: operationId } = yield* accepted(id)
  const { payout } = yield* stateOf(id, operationId)
  yield* submit(id, holdSignedBefore({ payout, hashes: [lost], currencies }))
  return { id, operationId, wallet }
})

/** A payout of tron whose first transaction is held to have expired. */
const triedAgain = Effect.gen(function* () {
  const { id, wallet } = yield* payer({}, "tron")
  const contract = currencies.byCode("USDT_TRON")?.asset?.contract ?? null
  const operation = yield* accepted(id, { order: usdt({ network: "tron", currency: "USDT_TRON", contract }) })
  const first = yield* signed(id, yield* reserved(id, wallet, [operation], { _tag: "Expiry" }), "0x1")
  yield* withStatus(id, first, expired)
  return { id, operationId: operation.id, wallet }
})

const ends = ["REJECT", "CANCEL", "cancel"] as const

/** Ends a payout, or lets it leave: `ended`, or why it is refused. */
const end = Effect.fnUntraced(function* (
  id: TenantId,
  operationId: string,
  how: "APPROVE" | (typeof ends)[number],
  given: ReadonlyArray<string> = []
) {
  const { operation, payout } = yield* stateOf(id, operationId)
  const ended =
    how === "cancel"
      ? Effect.asVoid(submit(id, cancelPayout({ payout, transaction: undefined, given, by: "bob", currencies })))
      : Effect.asVoid(
          submit(id, reviewOperation({ operation, verdict: how, given, by: "bob", reason: null, currencies }))
        )
  return yield* ended.pipe(
    Effect.as("ended"),
    Effect.catchTag("Refusal", ({ code }) => Effect.succeed(code))
  )
})

const statusOf = (id: TenantId, operationId: string) =>
  Effect.map(stateOf(id, operationId), ({ operation }) => operation.status)

describe("a payout that waits with all the hashes that may have paid it", () => {
  it.effect("is settled at once by the one that is proven, though no node knows what that has replaced", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const { id: operationId } = yield* accepted(id)
      const { payout } = yield* stateOf(id, operationId)
      const hashes = ["0xold", "0xnew"]
      yield* submit(id, holdSignedBefore({ payout, hashes, currencies }))
      const { payout: held } = yield* stateOf(id, operationId)
      for (const [txHash, said] of [
        ["0xold", { verdict: "UNREADABLE", reason: "The node does not know it." }],
        ["0xnew", proven]
      ] as const) {
        const evidence = yield* submit(id, attachEvidence({ payout: held, txHash, note: "each", by: "alice" }))
        yield* submit(id, recordEvidence(evidence, said, ethereum))
      }
      yield* submit(id, settleHeld({ payout: held, asked: hashes, nextAt: 1, currencies }))
      assert.deepInclude((yield* stateOf(id, operationId)).operation, { status: "SETTLED", txHash: "0xnew" })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})

describe("a payout that waits for an operator", () => {
  const cases: ReadonlyArray<readonly [string, Proof | undefined, boolean]> = [
    ["is not refunded while the chain says that it is paid", proven, false],
    ["is not refunded while it is in a block that is not final", { verdict: "NOT_FINAL", reason: "" }, false],
    ["is not refunded while the chain was not asked", undefined, false],
    ["is not refunded while no node can read what may have paid it", { verdict: "UNREADABLE", reason: "" }, false],
    ["is refunded once the chain denies that it is paid", denied, true]
  ]
  for (const [what, proof, isEnded] of cases)
    for (const how of ends)
      it.effect(`${what} (${how})`, () =>
        Effect.gen(function* () {
          const { id, operationId } = yield* held
          yield* give(id, operationId, lost, proof)
          assert.strictEqual(yield* end(id, operationId, how), isEnded ? "ended" : "state_conflict")
          assert.strictEqual(yield* statusOf(id, operationId), isEnded ? "FAILED" : "IN_REVIEW")
          yield* ledgerHolds(id)
        }).pipe(Effect.provide(store))
      )

  for (const [what, proof, isDenied] of cases)
    it.effect(`is sent again or not like one that ${what}`, () =>
      Effect.gen(function* () {
        const { id, operationId } = yield* held
        yield* give(id, operationId, lost, proof)
        assert.strictEqual(yield* end(id, operationId, "APPROVE"), isDenied ? "ended" : "state_conflict")
        assert.strictEqual(yield* statusOf(id, operationId), isDenied ? "ACCEPTED" : "IN_REVIEW")
      }).pipe(Effect.provide(store))
    )

  it.effect("is settled, and not sent again, where the chain says that it is paid once it was approved", () =>
    Effect.gen(function* () {
      const { id, operationId, wallet } = yield* held
      const before = yield* stateOf(id, operationId)
      const given = { payout: before.payout, txHash: lost, note: "seen", by: "alice" }
      const evidence = yield* submit(id, attachEvidence(given))
      yield* submit(id, recordEvidence(evidence, denied, ethereum))
      assert.strictEqual(yield* end(id, operationId, "APPROVE"), "ended")
      // whoever asked the chain did so before
      yield* submit(id, recordEvidence(evidence, proven, ethereum))
      const { payout } = yield* stateOf(id, operationId)
      const again = { wallet, payouts: [payout], given: [lost], guard: next(wallet) }
      assert.isNull(yield* submit(id, reservePayouts(again, presetNetworks)))
      assert.isFalse(yield* submit(id, settleHeld({ payout, asked: [lost], nextAt: 1, currencies })))
      assert.strictEqual(yield* statusOf(id, operationId), "SETTLED")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is refunded where nobody could read what may have paid it for a day", () =>
    Effect.gen(function* () {
      const { id, operationId } = yield* held
      yield* give(id, operationId, lost, { verdict: "UNREADABLE", reason: "" })
      yield* TestClock.adjust(evidencePatienceMs)
      assert.strictEqual(yield* end(id, operationId, "REJECT"), "ended")
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is refunded where what paid its receiver was signed for another payout, and whoever ends it has looked",
    () =>
      Effect.gen(function* () {
        const { id, operationId, wallet } = yield* held
        yield* give(id, operationId, lost, proven)
        yield* signed(id, yield* reserved(id, wallet, [yield* accepted(id)], next(wallet)), lost)
        assert.strictEqual(yield* end(id, operationId, "REJECT"), "state_conflict")
        assert.strictEqual(yield* end(id, operationId, "REJECT", [lost]), "ended")
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
  )
})

describe("a payout of which something was sent before, and of which its operator was told what else was signed", () => {
  it.effect("goes on waiting for that where the chain denies one of these, so that another can be given", () =>
    Effect.gen(function* () {
      const { id, operationId } = yield* triedAgain
      const { operation } = yield* stateOf(id, operationId)
      yield* submit(
        id,
        writing(() => [putRecord(Operation, { ...operation, status: "SENT" })])
      )
      const { payout } = yield* stateOf(id, operationId)
      yield* submit(id, holdSignedBefore({ payout, hashes: [lost, "0xother"], currencies }))
      const held = yield* stateOf(id, operationId)
      assert.deepInclude(held.operation, { status: "SENT", unresolved: true })
      yield* give(id, operationId, lost, denied)
      const look = { payout: held.payout, nextAt: 1, currencies }
      assert.isFalse(yield* submit(id, settleHeld({ ...look, asked: [lost] })))
      assert.deepStrictEqual((yield* stateOf(id, operationId)).payout.waits, held.payout.waits)
      yield* give(id, operationId, "0xother", proven)
      yield* submit(id, settleHeld({ ...look, asked: [lost, "0xother"] }))
      assert.strictEqual(yield* statusOf(id, operationId), "SETTLED")
    }).pipe(Effect.provide(store))
  )
})

describe("a payout whose transaction is held to have expired", () => {
  for (const how of ["cancel", "fail"] as const)
    it.effect(`is not refunded where that is proven to have paid it (${how})`, () =>
      Effect.gen(function* () {
        const { id, operationId } = yield* triedAgain
        yield* give(id, operationId, "0x1", proven)
        if (how === "cancel") assert.strictEqual(yield* end(id, operationId, how, ["0x1"]), "state_conflict")
        else {
          const { payout } = yield* stateOf(id, operationId)
          const fail = failPayout({ payout, reason: "destination_invalid", given: ["0x1"], currencies })
          assert.isNull(yield* submit(id, fail))
        }
        assert.notStrictEqual(yield* statusOf(id, operationId), "FAILED")
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )

  /** What puts it, as it is now, into another transaction. */
  const reserving = Effect.fnUntraced(function* ({ id, operationId, wallet }: Effect.Success<typeof triedAgain>) {
    const { payout } = yield* stateOf(id, operationId)
    const guard: GuardRequest = { _tag: "Expiry" }
    return (given: ReadonlyArray<string>, read: Payout = payout) =>
      submit(id, reservePayouts({ wallet, payouts: [read], given, guard }, presetNetworks))
  })

  for (const [what, proof] of [
    ["proven", proven],
    ["in a block that is not final", { verdict: "NOT_FINAL", reason: "" }],
    ["not asked about yet", undefined]
  ] as const)
    it.effect(`is not sent again where that was given as evidence since it was looked at, and is ${what}`, () =>
      Effect.gen(function* () {
        const made = yield* triedAgain
        const again = yield* reserving(made)
        yield* give(made.id, made.operationId, "0x1", proof)
        for (const given of [[], ["0x1"]]) assert.isNull(yield* again(given))
        assert.isNull((yield* stateOf(made.id, made.operationId)).payout.transactionId)
        yield* ledgerHolds(made.id)
      }).pipe(Effect.provide(store))
    )

  it.effect(
    "is sent again where the chain denies that it is paid, and not as one that was read before it expired",
    () =>
      Effect.gen(function* () {
        const made = yield* triedAgain
        const again = yield* reserving(made)
        yield* give(made.id, made.operationId, "0x1", denied)
        const { payout } = yield* stateOf(made.id, made.operationId)
        assert.isNull(yield* again([], { ...payout, earlierTransactions: [] }))
        assert.isNotNull(yield* again(["0x1"]))
      }).pipe(Effect.provide(store))
  )
})
