import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { parseDecimal, type Rate } from "@bursar/core/money/Rate"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { purposes, signingConditions } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import { closeSweep } from "@bursar/core/sweep/closeSweep"
import { IntakeCost } from "@bursar/core/sweep/IntakeCost"
import { holdByOperator } from "@bursar/core/sweep/sweepHold"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import { openSweepQueue, sweepQueue } from "@bursar/core/sweep/sweepQueues"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { beginSigning } from "@bursar/core/transaction/beingSigned"
import { recordSigned } from "@bursar/core/transaction/recordSigned"
import { releaseTransaction } from "@bursar/core/transaction/releaseTransaction"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { finalOf, ledgerHolds, store, submit, transactionOf, withStatus } from "../payout/world.ts"
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
  type Swept
} from "./world.ts"

const retryAt = 500_000

/** A sweep of 1,000 units of an address, that is reserved. */
const sweeping = Effect.fnUntraced(function* (network: Swept = "ethereum", currency?: string) {
  const made = yield* custody(network)
  const deposit = yield* arrived(made.id, made.address, 1_000n, currency)
  const request = yield* requestOf(made.id, made.address, [deposit])
  return { ...made, deposit, request, ...(yield* reserved(made.id, planOf(made.wallet, [request]))) }
})

/** A price in dollars, as a source tells it now. */
const dollars = (text: string) =>
  Effect.map(Clock.currentTimeMillis, (observedAt): Rate => ({
    price: parseDecimal(text) ?? { units: 0n, decimals: 0 },
    source: "test",
    observedAt
  }))

const close = (tenantId: TenantId, sweep: Sweep, nativeUsd: Rate | null = null) =>
  Effect.flatMap(sweepOf(tenantId, sweep.id), (read) =>
    submit(tenantId, closeSweep({ sweep: read, nativeUsd, retryAt, waiting: [], currencies: defaultCurrencies }))
  )

const release = (tenantId: TenantId, transaction: OutboundTransaction) =>
  submit(
    tenantId,
    releaseTransaction({
      transaction,
      outcome: { _tag: "Requeue", reason: "fees_unknown", detail: "", at: 0, alone: false },
      purposes,
      currencies: defaultCurrencies
    })
  )

const costOf = (tenantId: TenantId, currency: string) =>
  Effect.flatMap(Queries, (queries) => queries.record(tenantId, IntakeCost, currency))

const replaced: TransactionStatus = { _tag: "Invalidated", reason: "replaced_on_chain", by: "0xforeign", detail: "" }
const costing = (hash: string, fee: bigint): TransactionStatus => ({
  _tag: "Final",
  hash,
  blockNumber: 10,
  blockTime: 0,
  fee,
  effect: "done"
})

const expired: TransactionStatus = { _tag: "Invalidated", reason: "expired_unsent", by: null, detail: "" }

describe("the life of a sweep", () => {
  it.effect("is signed, swept and closed, and then its account is free and its deposits stay its own", () =>
    Effect.gen(function* () {
      const { address, deposit, id, sweep, transaction } = yield* sweeping()
      yield* TestClock.adjust(5_000)
      const sent = yield* signed(id, transaction, "0x1")
      assert.deepInclude(yield* sweepOf(id, sweep.id), { state: "SWEEP_SIGNED", endedAt: null })
      assert.isNull(yield* close(id, sweep), "it is not over")
      assert.isUndefined(yield* dueAt(openSweepQueue("ethereum"), sweep.id), "and is not to be closed")
      yield* withStatus(id, sent, finalOf("0x1"))
      const now = yield* Clock.currentTimeMillis
      assert.deepInclude(yield* sweepOf(id, sweep.id), { state: "SWEPT", endedAt: now, problem: null, closedAt: null })
      assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), sweep.id), now)
      assert.deepInclude(yield* accountOf(id, sweep), { transactionId: null, nextSequence: 6n, sweepIds: [sweep.id] })
      assert.isNotNull(yield* close(id, sweep))
      assert.strictEqual((yield* sweepOf(id, sweep.id)).closedAt, now)
      assert.deepInclude(yield* accountOf(id, sweep), { sweepIds: [], failures: 0 })
      assert.strictEqual((yield* sweepableOf(id, deposit)).sweepId, sweep.id)
      assert.isUndefined(yield* dueAt(openSweepQueue("ethereum"), sweep.id))
      assert.strictEqual(yield* dueAt(sweepQueue("ethereum"), address.id), now, "there may be more")
      assert.isNull(yield* close(id, sweep), "once")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("puts what waits for its account in the queue once none of its sweeps is open", () =>
    Effect.gen(function* () {
      const { addresses, id, wallet } = yield* custody("stellar", 2)
      const requests = yield* Effect.forEach(addresses, (one) =>
        Effect.flatMap(arrived(id, one, 1_000n), (deposit) => requestOf(id, one, [deposit]))
      )
      const { sweeps, transaction } = yield* reserved(id, planOf(wallet, requests))
      yield* withStatus(id, yield* signed(id, transaction, "0x1"), finalOf("0x1"))
      const due = yield* Effect.forEach(sweeps, ({ id: sweepId }) =>
        Effect.gen(function* () {
          yield* TestClock.adjust(1_000)
          const sweep = yield* sweepOf(id, sweepId)
          const closing = { sweep, nativeUsd: null, retryAt, waiting: ["waiting"], currencies: defaultCurrencies }
          yield* submit(id, closeSweep(closing))
          return yield* dueAt(sweepQueue("stellar"), "waiting")
        })
      )
      assert.deepStrictEqual(due, [undefined, yield* Clock.currentTimeMillis])
    }).pipe(Effect.provide(store))
  )

  for (const [network, status, outcome, nextSequence] of [
    ["ethereum", finalOf("0x1", "reverted"), "reverted", 6n],
    ["ethereum", replaced, "replaced", 6n],
    ["tron", expired, "expired", null],
    ["stellar", expired, "expired", 5n]
  ] as const) {
    it.effect(`is given up where its transaction on ${network} was ${outcome}, and its deposits wait again`, () =>
      Effect.gen(function* () {
        const { address, deposit, id, sweep, transaction } = yield* sweeping(network)
        yield* TestClock.adjust(5_000)
        yield* withStatus(id, yield* signed(id, transaction, "0x1"), status)
        const now = yield* Clock.currentTimeMillis
        assert.deepInclude(yield* sweepOf(id, sweep.id), {
          state: "ABANDONED",
          endedAt: now,
          closedAt: null,
          problem: `Its transaction was ${outcome}.`
        })
        assert.deepInclude(yield* accountOf(id, sweep), { transactionId: null, nextSequence, sweepIds: [sweep.id] })
        assert.isNotNull(yield* close(id, sweep))
        assert.isNull((yield* sweepableOf(id, deposit)).sweepId)
        assert.deepInclude(yield* accountOf(id, sweep), { sweepIds: [], failures: 1 })
        assert.strictEqual(yield* dueAt(sweepQueue(network), address.id), retryAt)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )
  }

  it.effect("is given up where nothing was signed: its number is the next, and failures in a row are counted", () =>
    Effect.gen(function* () {
      const { address, deposit, id, sweep, transaction, wallet } = yield* sweeping()
      yield* release(id, transaction)
      assert.deepInclude(yield* sweepOf(id, sweep.id), {
        state: "ABANDONED",
        problem: "Its transaction was released."
      })
      yield* close(id, sweep)
      assert.deepInclude(yield* accountOf(id, sweep), { nextSequence: 5n, nextSalt: 2, transactionId: null })
      assert.isUndefined(yield* costOf(id, "ETH"), "what was not moved and cost nothing is not counted")
      const again = yield* reserved(id, planOf(wallet, [yield* requestOf(id, address, [deposit])]))
      assert.deepInclude(again.transaction, { salt: 2, guard: transaction.guard })
      yield* release(id, again.transaction)
      yield* close(id, again.sweep)
      assert.strictEqual((yield* accountOf(id, sweep)).failures, 2)
      const last = yield* reserved(id, planOf(wallet, [yield* requestOf(id, address, [deposit])]))
      yield* withStatus(id, yield* signed(id, last.transaction, "0x3"), finalOf("0x3"))
      yield* close(id, last.sweep)
      assert.deepInclude(yield* accountOf(id, sweep), { failures: 0, nextSequence: 6n, nextSalt: 4 })
    }).pipe(Effect.provide(store))
  )

  it.effect("takes the sequence that the chain tells, or a later one that was used since", () =>
    Effect.gen(function* () {
      const { address, id, sweep, transaction, wallet } = yield* sweeping()
      yield* withStatus(id, yield* signed(id, transaction, "0x1"), finalOf("0x1"))
      yield* close(id, sweep)
      const sequences: Array<bigint> = []
      for (const first of [4n, 6n, 9n]) {
        const request = yield* requestOf(id, address, [yield* arrived(id, address, 10n)])
        const guard = { _tag: "Sequence", account: address.address, first } as const
        const next = yield* reserved(id, { ...planOf(wallet, [request]), guard })
        if (next.transaction.guard._tag === "Sequence") sequences.push(next.transaction.guard.sequence)
        yield* release(id, next.transaction)
        yield* close(id, next.sweep)
      }
      assert.deepStrictEqual(sequences, [6n, 6n, 9n])
    }).pipe(Effect.provide(store))
  )

  it.effect("is signed only once its transaction is: that a signer is asked for it is no step", () =>
    Effect.gen(function* () {
      const { id, sweep, transaction } = yield* sweeping()
      yield* submit(id, beginSigning({ transaction, pays: [], purposes }))
      assert.strictEqual((yield* sweepOf(id, sweep.id)).state, "ELIGIBLE")
      yield* signed(id, yield* transactionOf(id, transaction.id), "0x1")
      assert.strictEqual((yield* sweepOf(id, sweep.id)).state, "SWEEP_SIGNED")
    }).pipe(Effect.provide(store))
  )

  it.effect("shares its account with others, which stay open when it is closed", () =>
    Effect.gen(function* () {
      const { addresses, id, wallet } = yield* custody("stellar", 2)
      const requests = yield* Effect.forEach(addresses, (address) =>
        Effect.flatMap(arrived(id, address, 1_000n), (deposit) => requestOf(id, address, [deposit]))
      )
      const { sweeps, transaction } = yield* reserved(id, planOf(wallet, requests))
      yield* withStatus(id, yield* signed(id, transaction, "s1"), finalOf("s1"))
      const [first, second] = sweeps
      if (first === undefined || second === undefined) return assert.fail("two are swept")
      yield* close(id, first)
      assert.deepStrictEqual((yield* accountOf(id, first)).sweepIds, [second.id])
      yield* close(id, second)
      assert.deepStrictEqual((yield* accountOf(id, first)).sweepIds, [])
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("is signed with the sweeps that were read, all of them", () =>
    Effect.gen(function* () {
      const { id, sweep, transaction } = yield* sweeping()
      const other = yield* sweeping()
      const attempt = (sweeps: ReadonlyArray<Sweep>) =>
        submit(
          id,
          recordSigned({
            transaction,
            hash: "0x1",
            raw: new Uint8Array(),
            validUntil: null,
            feeMax: 1n,
            pays: [],
            replaces: null,
            purposes,
            conditions: signingConditions(transaction, {
              payouts: [],
              sweeps,
              network: presetNetworks.of("ethereum")
            })
          })
        )
      for (const sweeps of [[], [other.sweep]])
        assert.match((yield* Effect.flip(attempt(sweeps))).message, /not those that were read/u)
      assert.strictEqual((yield* attempt([sweep])).hash, "0x1")
    }).pipe(Effect.provide(store))
  )

  it.effect("is not signed while its address is held, a deposit is gone, or its sweeps are others than were read", () =>
    Effect.gen(function* () {
      const held = yield* sweeping()
      yield* submit(held.id, holdByOperator(held.address.id, "looked into"))
      const refused = yield* Effect.flip(signed(held.id, held.transaction, "0x1"))
      assert.deepInclude(refused, { code: "stale" })
      assert.match(refused.message, /is held/u)
      const gone = yield* sweeping()
      yield* lost(gone.id, gone.deposit)
      assert.match((yield* Effect.flip(signed(gone.id, gone.transaction, "0x2"))).message, /is not there any more/u)
      for (const { id, transaction } of [held, gone])
        assert.deepInclude(yield* transactionOf(id, transaction.id), { phase: "RESERVED", hashes: [] })
    }).pipe(Effect.provide(store))
  )
})

describe("what intake costs", () => {
  it.effect("is counted by currency: every sweep that moved something, and every fee, at the price of its end", () =>
    Effect.gen(function* () {
      const { address, id, sweep, transaction, wallet } = yield* sweeping("ethereum", "USDT_ETH")
      yield* TestClock.adjust(1_000)
      yield* withStatus(id, yield* signed(id, transaction, "0x1"), finalOf("0x1"))
      const first = yield* Clock.currentTimeMillis
      // 21,000 base units of ETH at ten thousand million million dollars are 210 dollars
      yield* close(id, sweep, yield* dollars("10000000000000000"))
      assert.deepStrictEqual(yield* costOf(id, "USDT_ETH"), {
        currency: "USDT_ETH",
        native: "ETH",
        count: 1,
        feeUnits: 21_000n,
        usdCents: 21_000n,
        since: first,
        until: first
      })
      const again = Effect.fnUntraced(function* (hash: string, status: TransactionStatus, price: Rate | null) {
        yield* TestClock.adjust(1_000)
        const request = yield* requestOf(id, address, [yield* arrived(id, address, 10n, "USDT_ETH")])
        const next = yield* reserved(id, planOf(wallet, [request]))
        yield* withStatus(id, yield* signed(id, next.transaction, hash), status)
        yield* close(id, next.sweep, price)
        return yield* costOf(id, "USDT_ETH")
      })
      const free = yield* again("0x2", costing("0x2", 0n), null)
      assert.deepInclude(free, { count: 2, feeUnits: 21_000n, usdCents: 21_000n, since: first, until: first + 1_000 })
      const reverted = yield* again("0x3", finalOf("0x3", "reverted"), yield* dollars("20000000000000000"))
      assert.deepInclude(reverted, { count: 2, feeUnits: 42_000n, usdCents: 63_000n })
      const old = { ...(yield* dollars("10000000000000000")), observedAt: -1_000_000_000 }
      assert.deepInclude(yield* again("0x4", finalOf("0x4"), old), { count: 3, feeUnits: 63_000n, usdCents: null })
      const known = yield* again("0x5", finalOf("0x5"), yield* dollars("1"))
      assert.deepInclude(known, { count: 4, feeUnits: 84_000n, usdCents: null })
      assert.isUndefined(yield* costOf(id, "ETH"))
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is shared by the sweeps of one transaction, so that the parts add up to the whole", () =>
    Effect.gen(function* () {
      const { addresses, id, wallet } = yield* custody("bitcoin", 3)
      const requests = yield* Effect.forEach(addresses, (address) =>
        Effect.flatMap(arrived(id, address, 1_000n), (deposit) => requestOf(id, address, [deposit]))
      )
      const { sweeps, transaction } = yield* reserved(id, planOf(wallet, requests))
      yield* withStatus(id, yield* signed(id, transaction, "b1"), costing("b1", 101n))
      const parts: Array<bigint> = []
      let before = 0n
      for (const sweep of sweeps) {
        yield* close(id, sweep)
        const total = (yield* costOf(id, "BTC"))?.feeUnits ?? 0n
        parts.push(total - before)
        before = total
      }
      assert.deepStrictEqual(
        parts.toSorted((one, other) => Number(other - one)),
        [34n, 34n, 33n]
      )
      assert.strictEqual((yield* costOf(id, "BTC"))?.count, 3)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )
})
