import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import { closeSweep } from "@bursar/core/sweep/closeSweep"
import { confirmTopUp } from "@bursar/core/sweep/confirmTopUp"
import { IntakeCost } from "@bursar/core/sweep/IntakeCost"
import { loseSweeps, type Loss } from "@bursar/core/sweep/loseSweeps"
import { reserveTopUp } from "@bursar/core/sweep/reserveTopUp"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import { openSweepQueue } from "@bursar/core/sweep/sweepQueues"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { transactionQueue } from "@bursar/core/transaction/queues"
import { recordBroadcast } from "@bursar/core/transaction/recordBroadcast"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { finalOf, ledgerHolds, next, store, submit, transactionOf, withStatus } from "../payout/world.ts"
import {
  accountOf,
  arrived,
  custody,
  dueAt,
  lost,
  planOf,
  requestOf,
  reserved,
  signed,
  sweepOf,
  sweepableOf,
  tried,
  type Swept
} from "./world.ts"

/** A sweep of two deposits of 500 of an address, that is reserved. */
const sweeping = Effect.fnUntraced(function* (network: Swept = "ethereum", currency?: string) {
  const made = yield* custody(network)
  const { address, id, wallet } = made
  const deposits = [yield* arrived(id, address, 500n, currency), yield* arrived(id, address, 500n, currency)] as const
  const request = yield* requestOf(id, address, deposits)
  return { ...made, deposits, request, ...(yield* reserved(id, planOf(wallet, [request]))) }
})

/** What is said where a deposit counts as lost at once. */
const atOnce: Loss = { _tag: "Deposit", goneBefore: Number.MAX_SAFE_INTEGER }

const lose = Effect.fnUntraced(function* (
  tenantId: TenantId,
  transaction: OutboundTransaction,
  sweep: Sweep,
  loss: Loss = atOnce
) {
  return yield* submit(tenantId, loseSweeps({ transaction, sweeps: [yield* sweepOf(tenantId, sweep.id)], loss }))
})

const close = (tenantId: TenantId, sweep: Sweep) =>
  Effect.flatMap(sweepOf(tenantId, sweep.id), (read) =>
    submit(
      tenantId,
      closeSweep({ sweep: read, nativeUsd: null, retryAt: 9, waiting: [], currencies: defaultCurrencies })
    )
  )

const sweepIdsOf = (tenantId: TenantId, deposits: ReadonlyArray<Deposit>) =>
  Effect.forEach(deposits, (deposit) => Effect.map(sweepableOf(tenantId, deposit), ({ sweepId }) => sweepId))

describe("a signed sweep of which a deposit is lost", () => {
  it.effect("is given up, and its transaction goes on to its end", () =>
    Effect.gen(function* () {
      const { deposits, id, sweep, transaction } = yield* sweeping()
      yield* signed(id, transaction, "0x1")
      yield* lost(id, deposits[1])
      yield* TestClock.adjust(5_000)
      const now = yield* Clock.currentTimeMillis
      assert.isTrue(yield* lose(id, transaction, sweep))
      const problem = `Deposit ${deposits[1].id} of it is not on the chain any more.`
      assert.deepInclude(yield* sweepOf(id, sweep.id), { state: "ABANDONED", problem, endedAt: now })
      assert.deepInclude(yield* transactionOf(id, transaction.id), {
        phase: "SIGNED",
        givenUpAfter: 1,
        freed: [],
        problem
      })
      assert.strictEqual(yield* dueAt(transactionQueue("ethereum"), transaction.id), now)
      assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), sweep.id), now)
      assert.isFalse(yield* lose(id, transaction, sweep), "once")
      yield* close(id, sweep)
      assert.deepStrictEqual(yield* sweepIdsOf(id, deposits), [null, null])
      assert.strictEqual((yield* accountOf(id, sweep)).transactionId, transaction.id, "its number is still in use")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not given up before the deposit counts as lost, or while all are there", () =>
    Effect.gen(function* () {
      const { deposits, id, sweep, transaction } = yield* sweeping()
      yield* signed(id, transaction, "0x1")
      assert.isFalse(yield* lose(id, transaction, sweep), "all are there")
      yield* TestClock.adjust(5_000)
      yield* lost(id, deposits[0])
      assert.isFalse(yield* lose(id, transaction, sweep, { _tag: "Deposit", goneBefore: 4_999 }))
      assert.strictEqual((yield* sweepOf(id, sweep.id)).state, "SWEEP_SIGNED")
      assert.isNull((yield* transactionOf(id, transaction.id)).givenUpAfter)
      assert.isTrue(yield* lose(id, transaction, sweep, { _tag: "Deposit", goneBefore: 5_000 }))
    }).pipe(Effect.provide(store))
  )

  it.effect("is not given up where nothing is signed, it is in a block, or what was signed expires", () =>
    Effect.gen(function* () {
      const unsigned = yield* sweeping()
      const mined = yield* sweeping()
      const expiring = yield* sweeping()
      const other = yield* sweeping()
      const one = yield* signed(mined.id, mined.transaction, "0x1")
      yield* withStatus(mined.id, one, { _tag: "Included", hash: "0x1", blockNumber: 9 })
      yield* signed(expiring.id, expiring.transaction, "0x2", { validUntil: 99_000 })
      yield* signed(other.id, other.transaction, "0x3")
      const both = yield* sweeping()
      yield* signed(both.id, both.transaction, "0x4")
      const again = yield* transactionOf(both.id, both.transaction.id)
      yield* signed(both.id, again, "0x5", { validUntil: 99_000, replaces: "0x4" })
      for (const { deposits, id } of [unsigned, mined, expiring, other, both]) yield* lost(id, deposits[0])
      for (const { id, sweep, transaction } of [unsigned, mined, expiring, both])
        assert.isFalse(yield* lose(id, transaction, sweep))
      assert.isFalse(
        yield* submit(other.id, loseSweeps({ transaction: other.transaction, sweeps: [], loss: atOnce })),
        "of no sweep that was read"
      )
      assert.isTrue(yield* lose(other.id, other.transaction, other.sweep))
    }).pipe(Effect.provide(store))
  )

  it.effect("is given up where a node has it as well", () =>
    Effect.gen(function* () {
      const { deposits, id, sweep, transaction } = yield* sweeping()
      const one = yield* signed(id, transaction, "0x1")
      yield* submit(
        id,
        recordBroadcast({ transaction: one, hash: "0x1", answer: { _tag: "Accepted" }, nextAt: 1, purposes })
      )
      yield* lost(id, deposits[0])
      assert.isTrue(yield* lose(id, transaction, sweep))
    }).pipe(Effect.provide(store))
  )

  it.effect("gives its UTXOs free at once, because what spends one of them excludes the other", () =>
    Effect.gen(function* () {
      const { deposits, id, sweep, transaction } = yield* sweeping("bitcoin")
      yield* signed(id, transaction, "b1")
      yield* lost(id, deposits[0])
      assert.isTrue(yield* lose(id, transaction, sweep))
      assert.deepStrictEqual(
        (yield* transactionOf(id, transaction.id)).freed,
        deposits.map(({ transferIndex: vout, txHash }) => ({ txHash, vout }))
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("ends as given up where the replacement that does nothing is final, and its account is free", () =>
    Effect.gen(function* () {
      const { id, deposits, sweep, transaction } = yield* sweeping()
      yield* signed(id, transaction, "0x1")
      yield* lost(id, deposits[0])
      yield* lose(id, transaction, sweep)
      yield* close(id, sweep)
      const both = yield* signed(id, yield* transactionOf(id, transaction.id), "0x2", { replaces: "0x1" })
      yield* withStatus(id, both, finalOf("0x2"))
      assert.strictEqual((yield* sweepOf(id, sweep.id)).state, "ABANDONED")
      assert.deepInclude(yield* accountOf(id, sweep), { transactionId: null, nextSequence: 6n, sweepIds: [] })
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("leaves its number to be used up: the address may be given coin for that, and a sweep has to wait", () =>
    Effect.gen(function* () {
      const { address, deposits, id, sweep, transaction, wallet } = yield* sweeping()
      yield* signed(id, transaction, "0x1")
      yield* lost(id, deposits[0])
      yield* lose(id, transaction, sweep)
      yield* close(id, sweep)
      const request = yield* requestOf(id, address, [deposits[1]])
      assert.strictEqual(yield* tried(id, planOf(wallet, [request])), "stale")
      const topUp = reserveTopUp({ wallet, guard: next(wallet), request, units: 30n, lookAt: 0 }, presetNetworks)
      assert.strictEqual((yield* submit(id, topUp))._tag, "Reserved")
    }).pipe(Effect.provide(store))
  )

  it.effect("is swept after all where its bytes take effect late, and then no other may take its deposits", () =>
    Effect.gen(function* () {
      const { address, deposits, id, sweep, transaction, wallet } = yield* sweeping()
      const one = yield* signed(id, transaction, "0x1")
      yield* lost(id, deposits[0])
      yield* lose(id, transaction, sweep)
      assert.isNotNull(yield* close(id, sweep))
      assert.deepStrictEqual(yield* sweepIdsOf(id, deposits), [null, null])
      assert.deepStrictEqual((yield* accountOf(id, sweep)).sweepIds, [])
      yield* withStatus(id, one, finalOf("0x1"))
      assert.deepInclude(yield* sweepOf(id, sweep.id), { state: "SWEPT", problem: null, closedAt: null })
      assert.deepStrictEqual((yield* accountOf(id, sweep)).sweepIds, [sweep.id], "it is open again")
      const again = yield* requestOf(id, address, [deposits[1]])
      assert.strictEqual(yield* tried(id, planOf(wallet, [again])), "stale")
      assert.isNotNull(yield* close(id, sweep))
      assert.deepStrictEqual(yield* sweepIdsOf(id, deposits), [sweep.id, sweep.id])
      assert.deepInclude(yield* accountOf(id, sweep), { sweepIds: [], failures: 0 })
      const cost = yield* (yield* Queries).record(id, IntakeCost, "ETH")
      assert.deepInclude(cost, { count: 1, feeUnits: 21_000n })
    }).pipe(Effect.provide(store))
  )
})

describe("a sweep that was topped up, given up and swept after all", () => {
  it.effect("counts its top-up once, and what its own transaction took", () =>
    Effect.gen(function* () {
      const { address, id, wallet } = yield* custody()
      const deposit = yield* arrived(id, address, 500n, "USDT_ETH")
      const request = yield* requestOf(id, address, [deposit])
      const given = yield* submit(
        id,
        reserveTopUp({ wallet, guard: next(wallet), request, units: 30n, lookAt: 0 }, presetNetworks)
      )
      if (given._tag !== "Reserved") return assert.fail("it is held")
      yield* withStatus(id, yield* signed(id, given.transaction, "0x0"), finalOf("0x0"))
      const [opened] = given.sweeps
      if (opened === undefined) return assert.fail("nothing is swept")
      const read = yield* sweepOf(id, opened.id)
      const confirmed = yield* submit(id, confirmTopUp({ sweep: read, balance: 30n, needs: null, nextAt: 0 }))
      const { sweep, transaction } = yield* reserved(id, { ...planOf(wallet, [request]), confirmed })
      const one = yield* signed(id, transaction, "0x1")
      yield* lost(id, deposit)
      yield* lose(id, transaction, sweep)
      const costs = Effect.flatMap(Queries, (queries) => queries.record(id, IntakeCost, "USDT_ETH"))
      yield* close(id, sweep)
      assert.deepInclude(yield* costs, { count: 0, feeUnits: 21_000n })
      yield* withStatus(id, one, finalOf("0x1"))
      yield* close(id, sweep)
      assert.deepInclude(yield* costs, { count: 1, feeUnits: 42_000n })
      return undefined
    }).pipe(Effect.provide(store))
  )
})

describe("a signed sweep whose address can no longer pay the network fee", () => {
  for (const [network, currency, spends] of [
    ["ethereum", "USDT_ETH", 0n],
    ["ethereum", "ETH", 1_000n]
  ] as const) {
    it.effect(`of ${currency} is given up where its balance pays for none of what was signed`, () =>
      Effect.gen(function* () {
        const { id, sweep, transaction } = yield* sweeping(network, currency)
        yield* signed(id, transaction, "0x1", { feeMax: 40n })
        yield* signed(id, yield* transactionOf(id, transaction.id), "0x2", { feeMax: 60n, replaces: "0x1" })
        assert.isFalse(yield* lose(id, transaction, sweep, { _tag: "Fee", balance: spends + 40n }))
        assert.isTrue(yield* lose(id, transaction, sweep, { _tag: "Fee", balance: spends + 39n }))
        const problem = "Its address can no longer pay the network fee."
        assert.deepInclude(yield* sweepOf(id, sweep.id), { state: "ABANDONED", problem })
        assert.deepInclude(yield* transactionOf(id, transaction.id), { givenUpAfter: 2, problem })
      }).pipe(Effect.provide(store))
    )
  }

  it.effect("goes on where it spends UTXOs: the fee is in them", () =>
    Effect.gen(function* () {
      const { id, sweep, transaction } = yield* sweeping("bitcoin")
      yield* signed(id, transaction, "b1")
      assert.isFalse(yield* lose(id, transaction, sweep, { _tag: "Fee", balance: 0n }))
    }).pipe(Effect.provide(store))
  )
})
