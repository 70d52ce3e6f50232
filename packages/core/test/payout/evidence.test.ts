import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import { JobQueue } from "@bursar/core/port/JobQueue"
import type { Proof, TransactionStatus } from "@bursar/core/port/ChainSender"
import { attachEvidence, recordEvidence } from "@bursar/core/payout/attachEvidence"
import { cancelPayout } from "@bursar/core/payout/cancelPayout"
import { evidencePatienceMs } from "@bursar/core/payout/evidenceOf"
import { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { payoutQueue } from "@bursar/core/payout/payoutQueue"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
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
  transactionOf,
  walletOf,
  withStatus,
  ethereum
} from "./world.ts"

const expired: TransactionStatus = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }
const replaced: TransactionStatus = { _tag: "Invalidated", reason: "replaced_on_chain", by: "0xf", detail: "" }

const proven = (fee: bigint | null = 7n) => ({ verdict: "PROVEN", detail: "it paid", fee }) as const
const denied: Proof = { verdict: "NOT_PROVEN", reason: "it is not there" }
const unreadable: Proof = { verdict: "UNREADABLE", reason: "no answer" }

/** An operator says that a transaction has made a payout; the chain is asked about it where a proof is given. */
const tell = Effect.fnUntraced(function* (id: TenantId, operationId: string, txHash: string | null, proof?: Proof) {
  const { payout } = yield* stateOf(id, operationId)
  const given = yield* submit(id, attachEvidence({ payout, txHash, note: "seen", by: "alice" }))
  if (proof !== undefined) yield* submit(id, recordEvidence(given, proof, ethereum))
})

/** Two payouts in one transaction that is signed. */
const two = Effect.gen(function* () {
  const { id, wallet } = yield* payer()
  const [one, other] = [yield* accepted(id), yield* accepted(id)]
  const transaction = yield* signed(id, yield* reserved(id, wallet, [one, other]), "0x1")
  return { id, wallet, one, other, transaction }
})

const isDue = Effect.fnUntraced(function* (key: string) {
  const jobs = yield* (yield* JobQueue).due(payoutQueue("ethereum"), Number.MAX_SAFE_INTEGER, 100)
  return jobs.some((job) => job.key === key)
})

/** What became of a payout whose transaction cannot take effect any more: it waits for another, or nothing is concluded yet. */
const fateOf = Effect.fnUntraced(function* (id: TenantId, operationId: string) {
  const { operation, payout } = yield* stateOf(id, operationId)
  if (operation.status === "SETTLED") return "paid"
  if (operation.status === "FAILED") return operation.details.failure_reason
  if (payout.transactionId !== null) return operation.unresolved ? "unknown" : "open"
  return (yield* isDue(operationId)) ? "again" : "lost"
})

describe("what an operator has said of a payout whose transaction cannot take effect any more", () => {
  const cases: ReadonlyArray<readonly [string, Proof | undefined, ReadonlyArray<string>, string]> = [
    ["proven, it has paid", proven(), ["0xe"], "paid"],
    ["denied, it is paid by another", denied, ["0xe"], "again"],
    ["not asked about, nothing is concluded", undefined, [], "unknown"],
    ["without an answer, nothing is concluded", undefined, ["0xe"], "unknown"],
    ["that no node can read, nothing is concluded", unreadable, ["0xe"], "unknown"],
    ["proven before and not asked about now, nothing is concluded", proven(), ["0xother"], "unknown"],
    ["denied before and not asked about now, nothing is concluded", denied, [], "unknown"]
  ]
  for (const [what, proof, asked, fate] of cases)
    it.effect(what, () =>
      Effect.gen(function* () {
        const { id, one, other, transaction } = yield* two
        yield* tell(id, one.id, "0xe", proof)
        yield* withStatus(id, transaction, expired, asked)
        assert.strictEqual(yield* fateOf(id, one.id), fate)
        assert.strictEqual(yield* fateOf(id, other.id), fate === "paid" ? "again" : fate, "the other in it")
        const ends = fate !== "unknown"
        assert.strictEqual((yield* transactionOf(id, transaction.id)).phase === "FINAL", ends)
        const held = fate === "paid" ? 101_000_000n : 202_000_000n
        assert.strictEqual((yield* float(id)).held, held)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )

  it.effect("is waited for a day, and no longer; what was unknown is not, once it ends", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* two
      yield* TestClock.setTime(5_000)
      yield* tell(id, one.id, "0xe", unreadable)
      yield* TestClock.setTime(5_000 + evidencePatienceMs - 1)
      yield* withStatus(id, transaction, expired, ["0xe"])
      assert.strictEqual(yield* fateOf(id, one.id), "unknown")
      yield* TestClock.setTime(5_000 + evidencePatienceMs)
      yield* withStatus(id, transaction, expired, ["0xe"])
      for (const operation of [one, other]) {
        assert.strictEqual(yield* fateOf(id, operation.id), "again")
        assert.isFalse((yield* stateOf(id, operation.id)).operation.unresolved)
        assert.deepStrictEqual((yield* stateOf(id, operation.id)).payout.earlierTransactions, [transaction.id])
      }
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is waited for however long it takes, where its block is not final", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* two
      yield* TestClock.setTime(5_000)
      yield* tell(id, one.id, "0xe", { verdict: "NOT_FINAL", reason: "it is in block 9" })
      yield* TestClock.setTime(5_000 + 10 * evidencePatienceMs)
      yield* withStatus(id, transaction, expired, ["0xe"])
      for (const operation of [one, other]) assert.strictEqual(yield* fateOf(id, operation.id), "unknown")
      assert.match((yield* transactionOf(id, transaction.id)).problem ?? "", /0xe.* not final yet/u)
      yield* tell(id, one.id, "0xe", denied)
      yield* withStatus(id, transaction, expired, ["0xe"])
      assert.strictEqual(yield* fateOf(id, one.id), "again")
    }).pipe(Effect.provide(store))
  )

  it.effect("is waited for a day from when no node sees it in a block any more, whatever words that is told in", () =>
    Effect.gen(function* () {
      const { id, one, transaction } = yield* two
      const fate = Effect.andThen(withStatus(id, transaction, expired, ["0xe"]), fateOf(id, one.id))
      yield* tell(id, one.id, "0xe", unreadable)
      const seen = 2 * evidencePatienceMs
      yield* TestClock.setTime(seen)
      yield* tell(id, one.id, "0xe", { verdict: "NOT_FINAL", reason: "it is in block 9" })
      const lost = seen + 3 * evidencePatienceMs
      yield* TestClock.setTime(lost)
      yield* tell(id, one.id, "0xe", unreadable)
      assert.strictEqual(yield* fate, "unknown")
      yield* TestClock.setTime(lost + evidencePatienceMs - 1)
      yield* tell(id, one.id, "0xe", { verdict: "UNREADABLE", reason: "it is in no block yet" })
      assert.strictEqual(yield* fate, "unknown")
      yield* TestClock.setTime(lost + evidencePatienceMs)
      assert.strictEqual(yield* fate, "again")
    }).pipe(Effect.provide(store))
  )

  it.effect("is nothing where it is a note alone", () =>
    Effect.gen(function* () {
      const { id, one, transaction } = yield* two
      yield* tell(id, one.id, null)
      yield* withStatus(id, transaction, expired)
      assert.strictEqual(yield* fateOf(id, one.id), "again")
    }).pipe(Effect.provide(store))
  )

  it.effect("contradicts the chain where it names the very transaction: nothing is concluded", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* two
      yield* tell(id, one.id, "0x1", proven())
      yield* withStatus(id, transaction, expired, ["0x1"])
      for (const operation of [one, other]) assert.strictEqual(yield* fateOf(id, operation.id), "unknown")
      assert.match((yield* transactionOf(id, transaction.id)).problem ?? "", /0x1 is proven/u)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is nothing where that was signed for another transaction, which speaks for itself", () =>
    Effect.gen(function* () {
      const { id, one, transaction, wallet } = yield* two
      yield* tell(id, one.id, "0xe", proven())
      const third = yield* accepted(id)
      yield* signed(id, yield* reserved(id, wallet, [third], next(yield* walletOf(id, wallet.id))), "0xe")
      yield* withStatus(id, transaction, expired, ["0xe"])
      assert.strictEqual(yield* fateOf(id, one.id), "again")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is nothing by the hash of one that only bids for the transaction that was signed", () =>
    Effect.gen(function* () {
      const { id, one, transaction } = yield* two
      yield* tell(id, one.id, "0xbid", { ...proven(), innerHash: "0xsigned" })
      yield* withStatus(id, transaction, expired, ["0xbid"])
      assert.strictEqual(yield* fateOf(id, one.id), "again")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("counts once where two are proven, with what the network took for that one", () =>
    Effect.gen(function* () {
      const { id, one, transaction } = yield* two
      yield* tell(id, one.id, "0xe", proven(7n))
      yield* TestClock.adjust(1_000)
      yield* tell(id, one.id, "0xf", proven(9n))
      yield* withStatus(id, transaction, expired, ["0xe", "0xf"])
      const { operation } = yield* stateOf(id, one.id)
      assert.strictEqual(operation.status, "SETTLED")
      assert.include(["0xe", "0xf"], operation.txHash)
      assert.strictEqual(operation.networkFee?.units, operation.txHash === "0xe" ? 7n : 9n)
      assert.deepStrictEqual(yield* eventsOf(id), ["chain_payout.settled"])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("says what the network took for it, or that nobody knows", () =>
    Effect.gen(function* () {
      for (const fee of [7n, 0n, null]) {
        const { id, one, transaction } = yield* two
        yield* tell(id, one.id, "0xe", proven(fee))
        yield* withStatus(id, transaction, expired, ["0xe"])
        const { operation } = yield* stateOf(id, one.id)
        assert.deepStrictEqual(operation.networkFee, fee === null ? null : { units: fee, currency: "ETH" })
        assert.strictEqual(operation.txHash, "0xe")
        yield* ledgerHolds(id)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("settles it at once where one is proven, whatever no node knows or has in its last block of another", () =>
    Effect.gen(function* () {
      for (const other of [unreadable, { verdict: "NOT_FINAL", reason: "it is in block 9" }, undefined] as const) {
        const { id, one, transaction } = yield* two
        yield* tell(id, one.id, "0xold", other)
        yield* tell(id, one.id, "0xnew", proven())
        yield* withStatus(id, transaction, expired, ["0xold", "0xnew"])
        assert.strictEqual((yield* stateOf(id, one.id)).operation.txHash, "0xnew")
        yield* ledgerHolds(id)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is waited for where the other is not proven for that payout, or was signed for something else", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction, wallet } = yield* two
      yield* tell(id, one.id, "0xe", unreadable)
      yield* tell(id, other.id, "0xf", proven())
      yield* withStatus(id, transaction, expired, ["0xe", "0xf"])
      for (const operation of [one, other]) assert.strictEqual(yield* fateOf(id, operation.id), "unknown")
      yield* tell(id, one.id, "0xthird", proven())
      const third = yield* accepted(id)
      yield* signed(id, yield* reserved(id, wallet, [third], next(yield* walletOf(id, wallet.id))), "0xthird")
      yield* withStatus(id, transaction, expired, ["0xe", "0xf", "0xthird"])
      for (const operation of [one, other]) assert.strictEqual(yield* fateOf(id, operation.id), "unknown")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not booked with a cost that cannot be so: nobody knows then what it was", () =>
    Effect.gen(function* () {
      const { feeMax } = ethereum.limits
      // what is signed for here costs 30,000 at most: of what is not stored nobody knows more than what the signer allows
      for (const [txHash, fee, booked] of [
        ["0xe", feeMax, feeMax],
        ["0xe", feeMax + 1n, null],
        ["0xe", 10n ** 90n, null],
        ["0xe", -1n, null],
        ["0x1", 3_000_000n, 3_000_000n],
        ["0x1", 3_000_001n, null]
      ] as const) {
        const { id, one, transaction } = yield* two
        const { payout } = yield* stateOf(id, one.id)
        const given = yield* submit(id, attachEvidence({ payout, txHash, note: "seen", by: "alice" }))
        const told = yield* submit(id, recordEvidence(given, proven(fee), ethereum))
        assert.deepInclude(told, { verdict: "PROVEN", fee: booked })
        if (booked === null) assert.include(told?.found ?? "", `${fee}, which cannot be`)
        if (txHash === "0x1") continue
        yield* withStatus(id, transaction, expired, [txHash])
        const { operation } = yield* stateOf(id, one.id)
        assert.strictEqual(operation.status, "SETTLED")
        assert.strictEqual(operation.networkFee?.units ?? null, booked)
        yield* ledgerHolds(id)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is not booked with such a cost either where an earlier version noted it", () =>
    Effect.gen(function* () {
      const { feeMax } = ethereum.limits
      for (const [fee, booked] of [
        [feeMax, feeMax],
        [feeMax + 1n, null]
      ] as const) {
        const { id, one, transaction } = yield* two
        const { payout } = yield* stateOf(id, one.id)
        const given = yield* submit(id, attachEvidence({ payout, txHash: "0xe", note: "seen", by: "alice" }))
        const unbounded = { limits: { ...ethereum.limits, feeMax: 10n ** 60n } }
        assert.deepInclude(yield* submit(id, recordEvidence(given, proven(fee), unbounded)), { fee })
        yield* withStatus(id, transaction, expired, ["0xe"])
        const { operation } = yield* stateOf(id, one.id)
        assert.strictEqual(operation.status, "SETTLED")
        assert.strictEqual(operation.networkFee?.units ?? null, booked)
        yield* ledgerHolds(id)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is looked at where a foreign transaction took the number, too: what is not proven fails", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* two
      yield* tell(id, one.id, "0xe", proven())
      yield* withStatus(id, transaction, replaced, ["0xe"])
      assert.strictEqual(yield* fateOf(id, one.id), "paid")
      assert.strictEqual(yield* fateOf(id, other.id), "replaced_on_chain")
      assert.deepStrictEqual(yield* float(id), { available: 899_000_000n, held: 0n })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})

describe("what an operator has said of a payout that its transaction did not pay, though that is final", () => {
  /** Two payouts of which one was cancelled: what replaced the first transaction pays the other alone. */
  const leftOut = Effect.gen(function* () {
    const made = yield* two
    const { payout, transaction } = yield* stateOf(made.id, made.one.id)
    yield* submit(made.id, cancelPayout({ payout, transaction, by: "vera", currencies }))
    const cancelled = yield* transactionOf(made.id, made.transaction.id)
    const replaced = yield* signed(made.id, cancelled, "0x2", { pays: [made.other.id], replaces: "0x1" })
    return { ...made, transaction: replaced }
  })

  const cases: ReadonlyArray<readonly [string, Proof | undefined, string, string]> = [
    ["proven, it is settled by that, and not given back", proven(), "paid", "paid"],
    ["denied, it fails", denied, "cancelled_by_operator", "paid"],
    ["in a block that is not final, nothing is concluded", { verdict: "NOT_FINAL", reason: "" }, "unknown", "unknown"],
    ["without an answer, nothing is concluded", undefined, "unknown", "unknown"]
  ]
  for (const [what, proof, fate, others] of cases)
    it.effect(`${what}, where it was cancelled`, () =>
      Effect.gen(function* () {
        const { id, one, other, transaction } = yield* leftOut
        yield* tell(id, one.id, "0xe", proof)
        yield* withStatus(id, transaction, finalOf("0x2"), ["0xe"])
        assert.deepStrictEqual([yield* fateOf(id, one.id), yield* fateOf(id, other.id)], [fate, others])
        if (fate === "paid") assert.strictEqual((yield* stateOf(id, one.id)).operation.txHash, "0xe")
        assert.strictEqual((yield* float(id)).held, fate === "unknown" ? 202_000_000n : 0n)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )

  it.effect("settles it where its transaction reverted: the other fails", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* two
      yield* tell(id, one.id, "0xe", proven())
      yield* withStatus(id, transaction, finalOf("0x1", "reverted"), ["0xe"])
      assert.strictEqual(yield* fateOf(id, one.id), "paid")
      assert.strictEqual(yield* fateOf(id, other.id), "reverted_on_chain")
      assert.deepStrictEqual(yield* float(id), { available: 899_000_000n, held: 0n })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("settles it where what its transaction was to pay to others is not there and is proven, too", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* leftOut
      yield* tell(id, one.id, "0xe", proven())
      yield* tell(id, other.id, "0xf", proven())
      yield* withStatus(id, transaction, finalOf("0x2", "missing"), ["0xe", "0xf"])
      for (const operation of [one, other]) assert.strictEqual(yield* fateOf(id, operation.id), "paid")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is nothing where it names the very one that paid the others: one payment makes one payout", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* leftOut
      yield* tell(id, one.id, "0x2", proven())
      yield* withStatus(id, transaction, finalOf("0x2"), ["0x2"])
      assert.strictEqual(yield* fateOf(id, one.id), "cancelled_by_operator")
      assert.strictEqual(yield* fateOf(id, other.id), "paid")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("contradicts the chain where it names another of its own: nothing is concluded", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* leftOut
      yield* tell(id, one.id, "0x1", proven())
      yield* withStatus(id, transaction, finalOf("0x2"), ["0x1"])
      for (const operation of [one, other]) assert.strictEqual(yield* fateOf(id, operation.id), "unknown")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "settles it where its replacement was signed after the outbound transaction was read, and says what both cost",
    () =>
      Effect.gen(function* () {
        const { id, wallet } = yield* payer()
        const only = yield* accepted(id)
        const read = yield* signed(id, yield* reserved(id, wallet, [only]), "0x1")
        const { payout, transaction } = yield* stateOf(id, only.id)
        yield* submit(id, cancelPayout({ payout, transaction, by: "vera", currencies }))
        yield* signed(id, yield* transactionOf(id, read.id), "0x2", { pays: [], replaces: "0x1" })
        yield* tell(id, only.id, "0xe", proven(7n))
        yield* withStatus(id, read, finalOf("0x2"), ["0xe"])
        const { operation } = yield* stateOf(id, only.id)
        assert.deepInclude(operation, { status: "SETTLED", networkFee: { units: 21_007n, currency: "ETH" } })
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
  )
})

describe("a transaction that the chain has denied for one payout", () => {
  const evidenceOf = (id: TenantId, { id: operationId }: { readonly id: string }) =>
    Effect.flatMap(Queries, (queries) => queries.records(id, PayoutEvidence, operationId))
  const give = Effect.fnUntraced(function* (id: TenantId, operation: { readonly id: string }, txHash = "0xe") {
    const { payout } = yield* stateOf(id, operation.id)
    return yield* submit(id, attachEvidence({ payout, txHash, note: "seen", by: "alice" }))
  })

  it.effect("can be given for another: that one is settled by it, what was said of the first stays to be read", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* two
      yield* tell(id, one.id, "0xe", denied)
      yield* tell(id, other.id, "0xe", proven())
      const [kept] = yield* evidenceOf(id, one)
      assert.deepInclude(kept, { operationId: one.id, txHash: "0xe", verdict: "NOT_PROVEN", note: "seen" })
      yield* withStatus(id, transaction, replaced, ["0xe"])
      assert.strictEqual(yield* fateOf(id, one.id), "replaced_on_chain")
      assert.strictEqual(yield* fateOf(id, other.id), "paid")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("does not prove the first by an answer that comes late: one payment makes one payout", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* two
      const asked = yield* give(id, one)
      yield* submit(id, recordEvidence(asked, denied, ethereum))
      const [before = assert.fail("it is not there")] = yield* evidenceOf(id, one)
      const second = yield* give(id, other)
      const [aside = assert.fail("it is gone")] = yield* evidenceOf(id, one)
      for (const late of [asked, before, aside])
        assert.isNull(yield* submit(id, recordEvidence(late, proven(), ethereum)))
      assert.deepStrictEqual(yield* evidenceOf(id, other), [second])
      yield* submit(id, recordEvidence(second, proven(), ethereum))
      yield* withStatus(id, transaction, replaced, ["0xe"])
      assert.strictEqual(yield* fateOf(id, one.id), "replaced_on_chain")
      assert.strictEqual(yield* fateOf(id, other.id), "paid")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("can be given for the first again once the other is denied, and for no other while it is not", () =>
    Effect.gen(function* () {
      const { id, one, other } = yield* two
      yield* tell(id, one.id, "0xe", denied)
      yield* tell(id, other.id, "0xe", unreadable)
      assert.deepInclude(yield* Effect.flip(give(id, one)), { _tag: "Refusal", code: "state_conflict" })
      yield* submit(id, recordEvidence(yield* give(id, other), denied, ethereum))
      const again = yield* give(id, one)
      assert.isNull(again.verdict)
      assert.strictEqual((yield* evidenceOf(id, one)).length, 2)
      assert.deepInclude(yield* Effect.flip(give(id, other)), { _tag: "Refusal", code: "state_conflict" })
    }).pipe(Effect.provide(store))
  )
})

describe("payouts of one transaction", () => {
  const cancelOne = Effect.fnUntraced(function* (id: TenantId, operationId: string) {
    const { payout, transaction } = yield* stateOf(id, operationId)
    return yield* submit(id, cancelPayout({ payout, transaction, by: "vera", currencies }))
  })

  for (const [status, reason] of [
    [expired, "again"],
    [replaced, "replaced_on_chain"]
  ] as const)
    it.effect(`fail for what the operator wanted where they were cancelled, ${reason} for the others`, () =>
      Effect.gen(function* () {
        const { id, one, other, transaction } = yield* two
        yield* cancelOne(id, one.id)
        yield* withStatus(id, yield* transactionOf(id, transaction.id), status)
        assert.strictEqual(yield* fateOf(id, one.id), "cancelled_by_operator")
        assert.strictEqual(yield* fateOf(id, other.id), reason)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )

  it.effect("fail by what replaced it without the cancelled one and reverted, each for its own reason", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* two
      yield* cancelOne(id, one.id)
      const without = yield* signed(id, yield* transactionOf(id, transaction.id), "0x2", {
        pays: [other.id],
        replaces: "0x1"
      })
      yield* withStatus(id, without, finalOf("0x2", "reverted"))
      assert.strictEqual(yield* fateOf(id, one.id), "cancelled_by_operator")
      assert.strictEqual(yield* fateOf(id, other.id), "reverted_on_chain")
      assert.strictEqual((yield* stateOf(id, other.id)).operation.txHash, "0x2")
      assert.strictEqual((yield* float(id)).available, 1_000_000_000n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("bear what the network took in equal parts, rounded up: nobody is told less than it cost", () =>
    Effect.gen(function* () {
      const { id, one, other, transaction } = yield* two
      yield* withStatus(id, transaction, { ...finalOf("0x1"), fee: 21_001n } as TransactionStatus)
      for (const operation of [one, other])
        assert.strictEqual((yield* stateOf(id, operation.id)).operation.networkFee?.units, 10_501n)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("are not concluded by one that was to pay nobody and did not even that", () =>
    Effect.gen(function* () {
      const { id, one, transaction, other } = yield* two
      for (const operation of [one, other]) yield* cancelOne(id, operation.id)
      const noop = yield* signed(id, yield* transactionOf(id, transaction.id), "0x2", { pays: [], replaces: "0x1" })
      yield* withStatus(id, noop, finalOf("0x2", "missing"))
      for (const operation of [one, other]) assert.strictEqual(yield* fateOf(id, operation.id), "unknown")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})
