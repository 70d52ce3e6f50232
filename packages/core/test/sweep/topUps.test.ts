import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import { purposes } from "@bursar/core/purposes"
import { Queries } from "@bursar/core/store/Queries"
import { abandonSweep, closeSweep } from "@bursar/core/sweep/closeSweep"
import { confirmTopUp } from "@bursar/core/sweep/confirmTopUp"
import { IntakeCost } from "@bursar/core/sweep/IntakeCost"
import { type ReserveTopUp, reserveTopUp } from "@bursar/core/sweep/reserveTopUp"
import { holdByOperator } from "@bursar/core/sweep/sweepHold"
import { Sweep } from "@bursar/core/sweep/Sweep"
import { openSweepQueue, sweepQueue } from "@bursar/core/sweep/sweepQueues"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordBroadcast } from "@bursar/core/transaction/recordBroadcast"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { finalOf, ledgerHolds, next, store, submit, transactionOf, walletOf, withStatus } from "../payout/world.ts"
import {
  accountOf,
  answerOf,
  arrived,
  custody,
  dueAt,
  lookAt,
  lost,
  planOf,
  requestOf,
  reserved,
  signed,
  sweepOf,
  sweepableOf,
  tried
} from "./world.ts"

const nextAt = 700_000

/** An address on ethereum with 1,000 USDT units, and the question to give it 30 of the native asset. */
const lacking = Effect.gen(function* () {
  const made = yield* custody("ethereum")
  const deposit = yield* arrived(made.id, made.address, 1_000n, "USDT_ETH")
  const request = yield* requestOf(made.id, made.address, [deposit])
  const plan: ReserveTopUp = { wallet: made.wallet, guard: next(made.wallet), request, units: 30n, lookAt }
  return { ...made, deposit, request, plan }
})

/** A sweep whose address is given the native asset. */
const toppingUp = Effect.gen(function* () {
  const made = yield* lacking
  const found = yield* submit(made.id, reserveTopUp(made.plan, presetNetworks))
  if (found._tag !== "Reserved") return yield* Effect.die(new Error("the address is held"))
  const [sweep] = found.sweeps
  if (sweep === undefined) return yield* Effect.die(new Error("nothing is swept"))
  return { ...made, sweep, transaction: found.transaction }
})

/** A sweep whose top-up is final. */
const given = Effect.gen(function* () {
  const made = yield* toppingUp
  const { id, transaction } = made
  yield* withStatus(id, yield* signed(id, transaction, `top-up of ${id}`), finalOf(`top-up of ${id}`))
  return made
})

const confirm = (
  tenantId: TenantId,
  sweep: Sweep,
  more: { readonly balance?: bigint; readonly needs?: bigint | null }
) =>
  Effect.flatMap(sweepOf(tenantId, sweep.id), (read) =>
    submit(tenantId, confirmTopUp({ sweep: read, balance: 0n, needs: null, nextAt, ...more }))
  )

const abandon = (tenantId: TenantId, sweep: Sweep) =>
  Effect.flatMap(sweepOf(tenantId, sweep.id), (read) => submit(tenantId, abandonSweep(read, "It is too dear by now.")))

describe("a top-up", () => {
  it.effect("pays the account of an address from the wallet, and opens the sweep of what waits there", () =>
    Effect.gen(function* () {
      const { address, deposit, id, sweep, transaction, wallet } = yield* toppingUp
      assert.deepInclude(transaction, {
        purpose: "TOP_UP",
        from: wallet.address,
        walletId: wallet.id,
        guard: { _tag: "Sequence", account: wallet.address, sequence: 7n },
        payments: [{ operationId: null, to: address.address, contract: null, units: 30n, memo: null }],
        trustlines: []
      })
      assert.deepInclude(yield* sweepOf(id, sweep.id), {
        state: "ELIGIBLE",
        topUpTransactionId: transaction.id,
        sweepTransactionId: null,
        units: 1_000n
      })
      assert.strictEqual((yield* sweepableOf(id, deposit)).sweepId, sweep.id)
      assert.deepInclude(yield* accountOf(id, sweep), { transactionId: null, nextSalt: 1, sweepIds: [sweep.id] })
      assert.isUndefined(yield* dueAt(sweepQueue("ethereum"), address.id))
      assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), sweep.id), lookAt)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is stale or wrong where a sweep would be, and gives nothing to an address that is held", () =>
    Effect.gen(function* () {
      const { address, deposit, id, plan, request, wallet } = yield* lacking
      const refusal = (more: Partial<ReserveTopUp>) => answerOf(id, reserveTopUp({ ...plan, ...more }, presetNetworks))
      assert.strictEqual(yield* refusal({ request: { ...request, sweepables: [] } }), "stale")
      assert.strictEqual(yield* refusal({ wallet: { ...wallet, id: "nowhere" } }), "stale")
      assert.strictEqual(yield* refusal({ units: 0n }), "plan_invalid")
      assert.strictEqual(yield* refusal({ guard: { _tag: "Expiry" } }), "plan_invalid")
      yield* submit(id, holdByOperator(address.id, "looked into"))
      assert.deepStrictEqual(yield* refusal({}), { _tag: "Held", addressIds: [address.id] })
      assert.isUndefined(yield* dueAt(sweepQueue("ethereum"), address.id))
      assert.deepStrictEqual(yield* (yield* Queries).records(id, Sweep), [])
      assert.isNull((yield* sweepableOf(id, deposit)).sweepId)
      assert.strictEqual((yield* walletOf(id, wallet.id)).openTransactions, 0)
    }).pipe(Effect.provide(store))
  )

  it.effect("is one at a time of an account, and excludes a sweep of what it is for", () =>
    Effect.gen(function* () {
      const { address, id, plan, request, wallet } = yield* toppingUp
      assert.strictEqual(yield* answerOf(id, reserveTopUp(plan, presetNetworks)), "stale")
      assert.strictEqual(yield* tried(id, planOf(wallet, [request])), "stale")
      const more = yield* requestOf(id, address, [yield* arrived(id, address, 5n, "USDT_ETH")])
      assert.strictEqual(yield* answerOf(id, reserveTopUp({ ...plan, request: more }, presetNetworks)), "stale")
      assert.strictEqual(yield* tried(id, planOf(wallet, [more])), "stale")
    }).pipe(Effect.provide(store))
  )

  it.effect("rule 18: has arrived where it is final and the balance shows it, or what is needed", () =>
    Effect.gen(function* () {
      for (const [balance, needs, arrives] of [
        [29n, null, false],
        [30n, null, true],
        [29n, 30n, false],
        [20n, 20n, true],
        [19n, 20n, false],
        [30n, 99n, true],
        [0n, 0n, true]
      ] as const) {
        const { id, sweep } = yield* given
        const confirmed = yield* confirm(id, sweep, { balance, needs })
        const what = `${balance} of 30 where ${needs} are needed`
        const now = yield* Clock.currentTimeMillis
        assert.strictEqual((yield* sweepOf(id, sweep.id)).state, arrives ? "TOPUP_CONFIRMED" : "TOPUP_SIGNED", what)
        assert.strictEqual(confirmed?.state, arrives ? "TOPUP_CONFIRMED" : undefined, what)
        assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), sweep.id), arrives ? now : nextAt, what)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("has not arrived while its transaction is under way, whatever the balance shows", () =>
    Effect.gen(function* () {
      const { id, sweep, transaction } = yield* toppingUp
      assert.isNull(yield* confirm(id, sweep, { balance: 1_000n }))
      assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), sweep.id), lookAt, "nothing is signed")
      const one = yield* signed(id, transaction, "0x1")
      assert.strictEqual((yield* sweepOf(id, sweep.id)).state, "TOPUP_SIGNED")
      assert.isNull(yield* confirm(id, sweep, { balance: 1_000n, needs: 0n }))
      assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), sweep.id), nextAt)
      yield* submit(
        id,
        recordBroadcast({ transaction: one, hash: "0x1", answer: { _tag: "Accepted" }, nextAt, purposes })
      )
      assert.isNull(yield* confirm(id, sweep, { balance: 1_000n }))
      assert.strictEqual((yield* sweepOf(id, sweep.id)).state, "TOPUP_SIGNED")
    }).pipe(Effect.provide(store))
  )

  const ends: ReadonlyArray<readonly [string, TransactionStatus]> = [
    ["reverted", finalOf("0x1", "reverted")],
    ["replaced", { _tag: "Invalidated", reason: "replaced_on_chain", by: "0xforeign", detail: "" }]
  ]
  for (const [outcome, status] of ends) {
    it.effect(`that was ${outcome} gives the sweep up, and counts what it cost`, () =>
      Effect.gen(function* () {
        const { deposit, id, sweep, transaction } = yield* toppingUp
        yield* withStatus(id, yield* signed(id, transaction, "0x1"), status)
        const over = yield* sweepOf(id, sweep.id)
        assert.deepInclude(over, { state: "ABANDONED", problem: `Its transaction was ${outcome}.` })
        assert.isNotNull(over.endedAt)
        assert.isNull(yield* confirm(id, sweep, { balance: 1_000n }))
        yield* submit(
          id,
          closeSweep({ sweep: over, nativeUsd: null, retryAt: nextAt, waiting: [], currencies: defaultCurrencies })
        )
        assert.isNull((yield* sweepableOf(id, deposit)).sweepId)
        const cost = yield* (yield* Queries).record(id, IntakeCost, "USDT_ETH")
        assert.deepStrictEqual(
          cost === undefined ? undefined : [cost.count, cost.feeUnits],
          outcome === "reverted" ? [0, 21_000n] : undefined
        )
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(store))
    )
  }

  it.effect("leads on to its sweep, and both cost what they took", () =>
    Effect.gen(function* () {
      const { deposit, id, request, sweep, transaction, wallet } = yield* given
      const plan = planOf(wallet, [request])
      const signedSweep = yield* sweepOf(id, sweep.id)
      assert.strictEqual(yield* tried(id, { ...plan, confirmed: signedSweep }), "stale", "it has not arrived")
      const confirmed = yield* confirm(id, sweep, { balance: 30n })
      if (confirmed === null) return assert.fail("it has arrived")
      const moving = yield* reserved(id, { ...plan, confirmed })
      assert.deepStrictEqual(
        moving.sweeps.map((one) => one.id),
        [sweep.id]
      )
      assert.deepInclude(yield* sweepOf(id, sweep.id), {
        state: "TOPUP_CONFIRMED",
        topUpTransactionId: transaction.id,
        sweepTransactionId: moving.transaction.id
      })
      assert.deepStrictEqual((yield* accountOf(id, sweep)).sweepIds, [sweep.id])
      assert.strictEqual((yield* sweepableOf(id, deposit)).sweepId, sweep.id)
      assert.strictEqual(yield* tried(id, { ...plan, confirmed }), "stale", "once")
      yield* withStatus(id, yield* signed(id, moving.transaction, "0x2"), finalOf("0x2"))
      const swept = yield* sweepOf(id, sweep.id)
      yield* submit(
        id,
        closeSweep({ sweep: swept, nativeUsd: null, retryAt: 0, waiting: [], currencies: defaultCurrencies })
      )
      assert.deepInclude(yield* (yield* Queries).record(id, IntakeCost, "USDT_ETH"), { count: 1, feeUnits: 42_000n })
      yield* ledgerHolds(id)
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("leads on to nothing where a deposit of its sweep is gone, or is not of it", () =>
    Effect.gen(function* () {
      const { address, deposit, id, request, sweep, wallet } = yield* given
      const confirmed = yield* confirm(id, sweep, { balance: 30n })
      const later = yield* requestOf(id, address, [yield* arrived(id, address, 5n, "USDT_ETH")])
      assert.strictEqual(yield* tried(id, { ...planOf(wallet, [later]), confirmed }), "stale", "it came later")
      assert.strictEqual(yield* tried(id, planOf(wallet, [request])), "stale", "it is of a sweep")
      yield* lost(id, deposit)
      assert.strictEqual(yield* tried(id, { ...planOf(wallet, [request]), confirmed }), "stale", "its block is gone")
      assert.strictEqual((yield* sweepOf(id, sweep.id)).state, "TOPUP_CONFIRMED")
    }).pipe(Effect.provide(store))
  )

  it.effect("leads on to nothing where its address is held since, and the sweep is given up", () =>
    Effect.gen(function* () {
      const { address, id, request, sweep, wallet } = yield* given
      const confirmed = yield* confirm(id, sweep, { balance: 30n })
      yield* submit(id, holdByOperator(address.id, "looked into"))
      const answer = yield* tried(id, { ...planOf(wallet, [request]), confirmed })
      assert.deepStrictEqual(answer, { _tag: "Held", addressIds: [address.id] })
      const now = yield* Clock.currentTimeMillis
      assert.deepInclude(yield* sweepOf(id, sweep.id), {
        state: "ABANDONED",
        problem: "Its address is held.",
        endedAt: now
      })
      assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), sweep.id), now)
    }).pipe(Effect.provide(store))
  )

  it.effect("can be left where it is, once it is final and before anything that moves is reserved", () =>
    Effect.gen(function* () {
      const { id, sweep, transaction } = yield* toppingUp
      assert.isNull(yield* abandon(id, sweep), "nothing is signed")
      const one = yield* signed(id, transaction, "0x1")
      assert.isNull(yield* abandon(id, sweep), "it is under way")
      assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), sweep.id), lookAt)
      yield* withStatus(id, one, finalOf("0x1"))
      const now = yield* Clock.currentTimeMillis
      const over = yield* abandon(id, sweep)
      assert.deepInclude(over, { state: "ABANDONED", problem: "It is too dear by now.", endedAt: now })
      assert.deepStrictEqual(over, yield* sweepOf(id, sweep.id))
      assert.strictEqual(yield* dueAt(openSweepQueue("ethereum"), sweep.id), now)
      assert.isNull(yield* abandon(id, sweep), "once")
    }).pipe(Effect.provide(store))
  )

  it.effect("is left where it is as well once it was seen to arrive, but not once a sweep is reserved", () =>
    Effect.gen(function* () {
      const left = yield* given
      yield* confirm(left.id, left.sweep, { balance: 30n })
      assert.strictEqual((yield* abandon(left.id, left.sweep))?.state, "ABANDONED")
      const { id, request, sweep, wallet } = yield* given
      const confirmed = yield* confirm(id, sweep, { balance: 30n })
      const { transaction } = yield* reserved(id, { ...planOf(wallet, [request]), confirmed })
      assert.isNull(yield* abandon(id, sweep))
      assert.strictEqual((yield* transactionOf(id, transaction.id)).phase, "RESERVED")
    }).pipe(Effect.provide(store))
  )
})
