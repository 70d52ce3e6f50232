import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Broadcast, TransactionStatus } from "@bursar/core/port/ChainSender"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { delayTransaction } from "@bursar/core/transaction/delayTransaction"
import {
  isIdle,
  OutboundTransaction,
  operationsOf,
  payable,
  taken,
  utxosHeld
} from "@bursar/core/transaction/OutboundTransaction"
import { addUnits, committedUnits } from "@bursar/core/transaction/PayoutWallet"
import { transactionQueue } from "@bursar/core/transaction/queues"
import { recordBroadcast } from "@bursar/core/transaction/recordBroadcast"
import { asksForEvidence, recordStatus } from "@bursar/core/transaction/recordStatus"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { putRecord } from "@bursar/core/engine/Records"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import {
  accepted,
  eventsOf,
  finalOf,
  ledgerHolds,
  payer,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  transactionOf,
  walletOf,
  withStatus
} from "../payout/world.ts"

const nextAt = 77_000
const unresolvedAfterMs = 600_000

const usdt = defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null

/** An outbound transaction of one payout of 100 USDT that is signed. */
const paying = Effect.gen(function* () {
  const made = yield* payer()
  const operation = yield* accepted(made.id)
  const transaction = yield* signed(made.id, yield* reserved(made.id, made.wallet, [operation]), "0x1")
  return { ...made, operation, transaction }
})

const broadcast = (id: TenantId, transaction: OutboundTransaction, answer: Broadcast, hash = "0x1") =>
  submit(id, recordBroadcast({ transaction, hash, answer, nextAt, purposes }))

const status = (
  id: TenantId,
  transaction: OutboundTransaction,
  said: TransactionStatus,
  asked: ReadonlyArray<string> = transaction.hashes
) =>
  submit(
    id,
    recordStatus({
      transaction,
      asked,
      status: said,
      nextAt,
      unresolvedAfterMs,
      currencies: defaultCurrencies,
      purposes
    })
  )

const dueAt = Effect.fnUntraced(function* ({ network, id }: OutboundTransaction) {
  const jobs = yield* (yield* JobQueue).due(transactionQueue(network), Number.MAX_SAFE_INTEGER, 100)
  return jobs.find(({ key }) => key === id)?.dueAt
})

const asked = (id: TenantId, transaction: OutboundTransaction, what: OutboundTransaction["asked"]) =>
  submit(
    id,
    writing(() => [putRecord(OutboundTransaction, { ...transaction, asked: what })])
  )

const busy = { _tag: "Rejected", reason: "busy", detail: "try later" } as const

describe("what a node says when it is given a transaction", () => {
  it.effect("counts as sent where the node has it, or may have it", () =>
    Effect.gen(function* () {
      for (const [answer, problem] of [
        [{ _tag: "Accepted" }, null],
        [{ _tag: "Unknown", detail: "timeout" }, "No answer to 0x1 that can be relied on: timeout"]
      ] as const) {
        const { id, transaction } = yield* paying
        yield* TestClock.adjust(1_000)
        const at = (transaction.signedAt ?? 0) + 1_000
        const sent = yield* broadcast(id, transaction, answer)
        const expected: OutboundTransaction = {
          ...transaction,
          phase: "BROADCAST",
          sentAt: at,
          lastSentAt: at,
          problem
        }
        assert.deepStrictEqual(sent, expected)
        assert.deepStrictEqual(yield* transactionOf(id, transaction.id), expected)
        assert.strictEqual(yield* dueAt(transaction), nextAt)
        const attempts = () =>
          Effect.flatMap(Queries, (queries) => queries.records(id, TransactionAttempt, transaction.id))
        assert.strictEqual((yield* attempts())[0]?.sentAt, at)
        yield* TestClock.adjust(1_000)
        const again = yield* broadcast(id, expected, { _tag: "Accepted" })
        assert.deepInclude(again, { sentAt: at, lastSentAt: at + 1_000, problem: null })
        assert.strictEqual((yield* attempts())[0]?.sentAt, at)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("decides nothing where it would not take it: that is noted, and tried again", () =>
    Effect.gen(function* () {
      const { id, operation, transaction } = yield* paying
      const rejected = yield* broadcast(id, transaction, busy)
      const problem = "The node did not take 0x1: busy: try later"
      assert.deepStrictEqual(rejected, { ...transaction, problem })
      assert.deepStrictEqual(yield* transactionOf(id, transaction.id), { ...transaction, problem })
      assert.strictEqual((yield* stateOf(id, operation.id)).operation.status, "PROCESSING")
      assert.strictEqual(yield* dueAt(transaction), nextAt)
    }).pipe(Effect.provide(store))
  )

  it.effect("is what an operator asked for, whatever the node said to it; a higher fee is another thing", () =>
    Effect.gen(function* () {
      const { id, transaction } = yield* paying
      for (const [what, after] of [
        ["REBROADCAST", null],
        ["BUMP", "BUMP"]
      ] as const)
        for (const answer of [busy, { _tag: "Accepted" } as const]) {
          yield* asked(id, transaction, what)
          assert.strictEqual((yield* broadcast(id, transaction, answer))?.asked, after)
        }
    }).pipe(Effect.provide(store))
  )

  it.effect("is nothing of what is over, is not there, or was not signed for it", () =>
    Effect.gen(function* () {
      const { id, transaction } = yield* paying
      assert.isNull(yield* broadcast(id, { ...transaction, id: "nowhere" }, { _tag: "Accepted" }))
      assert.isNull(yield* broadcast(id, transaction, { _tag: "Accepted" }, "0xother"))
      assert.deepStrictEqual(yield* transactionOf(id, transaction.id), transaction)
      yield* withStatus(id, transaction, finalOf("0x1"))
      const over = yield* transactionOf(id, transaction.id)
      assert.isNull(yield* broadcast(id, transaction, busy))
      assert.deepStrictEqual(yield* transactionOf(id, transaction.id), over)
    }).pipe(Effect.provide(store))
  )
})

describe("what the chain says of a transaction", () => {
  it.effect("is a block that may be lost again, and takes from its wallet only until then", () =>
    Effect.gen(function* () {
      const { id, transaction, wallet } = yield* paying
      const open = [
        { contract: usdt, units: 100_000_000n },
        { contract: null, units: 30_000n }
      ]
      assert.sameDeepMembers([...(yield* walletOf(id, wallet.id)).committed], open)
      yield* asked(id, { ...transaction, problem: "stuck" }, "BUMP")
      const included = { _tag: "Included", hash: "0x1", blockNumber: 9 } as const
      const before = yield* status(id, transaction, included)
      assert.strictEqual(before?.phase, "SIGNED", "as it was before")
      const mined = yield* transactionOf(id, transaction.id)
      assert.deepInclude(mined, { phase: "INCLUDED", blockNumber: 9, asked: null, problem: null })
      assert.deepStrictEqual((yield* walletOf(id, wallet.id)).committed, [])
      assert.strictEqual(yield* dueAt(transaction), nextAt)
      yield* asked(id, mined, "BUMP")
      yield* status(id, transaction, included)
      assert.strictEqual((yield* transactionOf(id, transaction.id)).asked, "BUMP", "the same block is no news")
      yield* status(id, transaction, { ...included, blockNumber: 12 })
      assert.deepInclude(yield* transactionOf(id, transaction.id), { blockNumber: 12, asked: null })
      yield* status(id, transaction, { _tag: "Pending", known: true })
      assert.deepInclude(yield* transactionOf(id, transaction.id), { phase: "BROADCAST", blockNumber: null })
      assert.sameDeepMembers([...(yield* walletOf(id, wallet.id)).committed], open)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is nothing yet, and flagged where that takes too long since it was sent, signed or reserved", () =>
    Effect.gen(function* () {
      const { id, operation, transaction } = yield* paying
      const pending = { _tag: "Pending", known: true } as const
      const flagged = Effect.map(stateOf(id, operation.id), (state) => state.operation.unresolved)
      yield* TestClock.adjust(400_000)
      yield* broadcast(id, transaction, { _tag: "Accepted" })
      yield* TestClock.adjust(unresolvedAfterMs - 1)
      yield* status(id, transaction, pending)
      assert.isFalse(yield* flagged)
      assert.strictEqual(yield* dueAt(transaction), nextAt)
      yield* TestClock.adjust(1)
      yield* status(id, transaction, pending)
      assert.isTrue(yield* flagged)
      assert.deepStrictEqual(yield* eventsOf(id), ["chain_payout.unresolved"])
    }).pipe(Effect.provide(store))
  )

  it.effect("counts for nothing where it was said of fewer attempts than there are, unless one is final", () =>
    Effect.gen(function* () {
      const { id, transaction } = yield* paying
      const both = yield* signed(id, transaction, "0x2", { replaces: "0x1" })
      const gone: TransactionStatus = { _tag: "Invalidated", reason: "replaced_on_chain", by: "0xf", detail: "" }
      for (const said of [gone, { _tag: "Included", hash: "0x1", blockNumber: 9 } as const]) {
        assert.deepStrictEqual(yield* status(id, transaction, said, ["0x1"]), both)
        assert.deepStrictEqual(yield* transactionOf(id, transaction.id), both)
      }
      assert.isNull(yield* status(id, transaction, finalOf("0x1"), ["0x1"]))
      assert.deepInclude(yield* transactionOf(id, transaction.id), { phase: "FINAL", outcome: "done" })
      assert.isNull(yield* status(id, transaction, gone), "it is over")
      assert.isNull(yield* status(id, { ...transaction, id: "nowhere" }, gone))
    }).pipe(Effect.provide(store))
  )

  it.effect("is shown to a person where it cannot be concluded, and looked at again", () =>
    Effect.gen(function* () {
      const { id, operation, transaction } = yield* paying
      for (const said of [finalOf("0xother"), finalOf("0x1", "missing")]) {
        assert.isNull(yield* status(id, transaction, said))
        const now = yield* transactionOf(id, transaction.id)
        assert.deepInclude(now, { phase: "SIGNED", outcome: null })
        assert.isNotNull(now.problem)
        assert.strictEqual(yield* dueAt(transaction), nextAt)
      }
      assert.isTrue((yield* stateOf(id, operation.id)).operation.unresolved)
    }).pipe(Effect.provide(store))
  )

  it.effect("is asked no more once it is over", () =>
    Effect.gen(function* () {
      const { id, transaction } = yield* paying
      yield* asked(id, { ...transaction, problem: "stuck" }, "BUMP")
      yield* status(id, transaction, finalOf("0x1"))
      assert.deepInclude(yield* transactionOf(id, transaction.id), {
        asked: null,
        problem: null,
        fee: 21_000n,
        blockNumber: 10
      })
      assert.isUndefined(yield* dueAt(transaction))
    }).pipe(Effect.provide(store))
  )

  it("asks for what operators know where something that it was to pay is not paid, or may be left out", () => {
    const said: ReadonlyArray<readonly [TransactionStatus, boolean]> = [
      [{ _tag: "Pending", known: false }, false],
      [{ _tag: "Included", hash: "0x1", blockNumber: 1 }, false],
      [finalOf("0x1"), false],
      [finalOf("0x1", "reverted"), true],
      [finalOf("0x1", "missing"), true],
      [{ _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }, true]
    ]
    for (const [one, asks] of said) assert.strictEqual(asksForEvidence(one, { hashes: ["0x1"] }), asks, one._tag)
    assert.isTrue(asksForEvidence(finalOf("0x2"), { hashes: ["0x1"] }), "what replaces may leave something out")
  })
})

describe("what a node says that a transaction cost", () => {
  it.effect(
    "is believed up to a hundred times what was signed for: nothing is booked of more, or of less than nothing",
    () =>
      Effect.gen(function* () {
        const { id, operation, transaction } = yield* paying
        for (const fee of [3_000_001n, 10n ** 30n, -1n]) {
          yield* status(id, transaction, { ...finalOf("0x1"), fee } as TransactionStatus)
          const open = yield* transactionOf(id, transaction.id)
          assert.deepStrictEqual([open.phase, open.fee], [transaction.phase, null])
          assert.match(open.problem ?? "", /30000 was the most that was signed for/u)
          assert.deepInclude((yield* stateOf(id, operation.id)).operation, { unresolved: true, status: "PROCESSING" })
          assert.strictEqual(yield* dueAt(transaction), nextAt)
          yield* ledgerHolds(id)
        }
        yield* status(id, transaction, { ...finalOf("0x1"), fee: 3_000_000n } as TransactionStatus)
        assert.deepInclude(yield* transactionOf(id, transaction.id), { phase: "FINAL", fee: 3_000_000n })
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
  )
})

describe("a transaction that cannot go on", () => {
  const delay = (id: TenantId, transaction: OutboundTransaction) =>
    submit(
      id,
      delayTransaction({
        transaction,
        problem: "no fees are known",
        nextAt,
        unresolvedAfterMs,
        purposes,
        currencies: defaultCurrencies
      })
    )

  it.effect("says why, is looked at again, and is flagged where it was not signed for too long", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id)
      yield* TestClock.adjust(1_000)
      const transaction = yield* reserved(id, wallet, [operation])
      const flagged = Effect.map(stateOf(id, operation.id), (state) => state.operation.unresolved)
      yield* TestClock.adjust(unresolvedAfterMs - 1)
      assert.deepStrictEqual(yield* delay(id, transaction), transaction)
      assert.deepStrictEqual(yield* transactionOf(id, transaction.id), { ...transaction, problem: "no fees are known" })
      assert.strictEqual(yield* dueAt(transaction), nextAt)
      assert.isFalse(yield* flagged)
      yield* TestClock.adjust(1)
      yield* delay(id, transaction)
      assert.isTrue(yield* flagged)
    }).pipe(Effect.provide(store))
  )

  it.effect("is left alone once it is over, or is not there", () =>
    Effect.gen(function* () {
      const { id, transaction } = yield* paying
      assert.isNull(yield* delay(id, { ...transaction, id: "nowhere" }))
      yield* withStatus(id, transaction, finalOf("0x1"))
      assert.isNull(yield* delay(id, transaction))
      assert.isNull((yield* transactionOf(id, transaction.id)).problem)
    }).pipe(Effect.provide(store))
  )
})

describe("what a transaction takes", () => {
  it("is what it pays and the most of its fee, by asset; UTXOs are reserved themselves", () => {
    const payments = [
      { operationId: null, to: "a", contract: null, units: 5n, memo: null },
      { operationId: "op", to: "b", contract: "0xc", units: 7n, memo: null },
      { operationId: "op-2", to: "c", contract: "0xc", units: 3n, memo: null }
    ]
    const guard = { _tag: "Expiry" } as const
    assert.sameDeepMembers(
      [...taken({ payments, feeMax: 2n, guard })],
      [
        { contract: null, units: 7n },
        { contract: "0xc", units: 10n }
      ]
    )
    assert.deepStrictEqual(taken({ payments, feeMax: 2n, guard: { _tag: "Utxos", utxos: [] } }), [])
    assert.deepStrictEqual(operationsOf({ payments }), ["op", "op-2"])
    assert.deepStrictEqual(payable({ payments, cancelled: ["op", "other"] }), ["op-2"])
  })

  it("is added up by asset, and taken away again to the unit", () => {
    const units = fc.array(
      fc.record({ contract: fc.constantFrom(null, "a", "b"), units: fc.bigInt({ min: 0n, max: 9n }) })
    )
    fc.assert(
      fc.property(units, units, (one, other) => {
        const both = addUnits(addUnits([], one), other)
        for (const contract of [null, "a", "b"]) {
          const sum = [...one, ...other].reduce(
            (all, each) => (each.contract === contract ? all + each.units : all),
            0n
          )
          assert.strictEqual(committedUnits({ committed: both }, contract), sum)
        }
        assert.isFalse(both.some((each) => each.units === 0n))
        assert.deepStrictEqual(addUnits(addUnits(both, one, -1n), other, -1n), [])
      })
    )
  })

  it("is of UTXOs those that are not free again", () => {
    const utxo = (txHash: string, vout: number) => ({ txHash, vout, units: 1n, address: "a" })
    const guard = { _tag: "Utxos", utxos: [utxo("a", 0), utxo("a", 1), utxo("b", 0)] } as const
    const freed = [
      { txHash: "a", vout: 1 },
      { txHash: "b", vout: 7 }
    ]
    assert.deepStrictEqual(utxosHeld({ guard, freed }), [utxo("a", 0), utxo("b", 0)])
    assert.deepStrictEqual(utxosHeld({ guard: { _tag: "Expiry" }, freed }), [])
  })

  it("is nothing of attempts that were signed after what it is for was given up", () => {
    const given = (givenUpAfter: number | null) =>
      ["0x1", "0x2", "0x3"].map((hash) => isIdle({ givenUpAfter, hashes: ["0x1", "0x2", "0x3"] }, hash))
    assert.deepStrictEqual(given(null), [false, false, false])
    assert.deepStrictEqual(given(2), [false, false, true])
    assert.deepStrictEqual(given(0), [true, true, true])
  })
})
