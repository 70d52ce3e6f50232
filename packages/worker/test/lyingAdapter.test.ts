import type { GuardPlan, SweepPlan, TransactionPlanner } from "@bursar/core/port/TransactionPlanner"
import { Payout } from "@bursar/core/payout/Payout"
import { Queries } from "@bursar/core/store/Queries"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { emptyState } from "@bursar/memory"
import type { FakeSender } from "@bursar/testkit/fixtures/FakeSender"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import { fakeNetwork } from "./fakeNetwork.ts"
import { arrive, confirmed, custody, sweeping, sweepsOf, type Swept } from "./sweep/world.ts"
import { ledgerHolds, pay, payer, processOver, sending, type Tested, tick } from "./transactions/world.ts"

/** A fake network whose adapter plans something else than its rules say. */
const lying = (fake: FakeSender, lie: (planner: TransactionPlanner) => Partial<TransactionPlanner>): FakeSender => ({
  ...fake,
  sender: { ...fake.sender, planner: { ...fake.sender.planner, ...lie(fake.sender.planner) } }
})

/** A planner that replaces what each payout uses up. */
const payouts =
  (lie: (guard: GuardPlan) => GuardPlan) =>
  (planner: TransactionPlanner): Partial<TransactionPlanner> => ({
    payouts: (request) =>
      Effect.map(planner.payouts(request), (plan) => ({
        ...plan,
        transactions: plan.transactions.map((one) => ({ ...one, guard: lie(one.guard) }))
      }))
  })

type Sweeps = Extract<SweepPlan, { readonly _tag: "Sweep" }>

/** A planner that replaces how deposits are moved. */
const sweeps =
  (lie: (plan: Sweeps) => SweepPlan) =>
  (planner: TransactionPlanner): Partial<TransactionPlanner> => ({
    sweep: (question) => Effect.map(planner.sweep(question), (plan) => (plan._tag === "Sweep" ? lie(plan) : plan))
  })

const utxosOf = (guard: GuardPlan) => (guard._tag === "Utxos" ? guard.utxos : [])

/** Collects what is logged of plans that were refused. */
const refusals = () => {
  const told: Array<string> = []
  const logger = Logger.make(({ fiber, message }) => {
    if (String(message) !== "transaction.plan_refused") return
    told.push(String(fiber.getRef(References.CurrentLogAnnotations)["detail"]))
  })
  return { told, layer: Logger.layer([logger]) }
}

describe("an adapter that lies", () => {
  for (const [what, network, lie] of [
    [
      "names a UTXO twice",
      "bitcoin",
      (guard) => ({ _tag: "Utxos", utxos: [...utxosOf(guard), ...utxosOf(guard)], fee: 1_000n })
    ],
    [
      "names a UTXO that is not there",
      "bitcoin",
      (guard) => ({
        _tag: "Utxos",
        utxos: utxosOf(guard).map((utxo) => ({ ...utxo, txHash: newTxHash() })),
        fee: 1_000n
      })
    ],
    ["names no UTXO", "bitcoin", () => ({ _tag: "Utxos", utxos: [], fee: 1_000n })],
    ["asks for a fee that is not covered", "bitcoin", (guard) => ({ ...guard, fee: 1_000_000n }) as GuardPlan],
    ["gives up the nonce", "ethereum", () => ({ _tag: "Expiry" })],
    ["gives a nonce where nothing counts", "tron", () => ({ _tag: "Sequence", account: "somebody", first: 0n })],
    ["names the account of a stranger", "stellar", () => ({ _tag: "Sequence", account: "G-stranger", first: 0n })]
  ] as const satisfies ReadonlyArray<readonly [string, Tested, (guard: GuardPlan) => GuardPlan]>) {
    it.effect(`and ${what} pays nothing, and its payouts wait and say so (${network})`, () => {
      const fake = lying(fakeNetwork({ network }), payouts(lie))
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { id } = yield* payer(network, fake)
        yield* Effect.forkScoped(sending(fake))
        const { id: made } = yield* pay(id, network, 1)
        for (let n = 0; n < 20; n++) yield* tick
        const queries = yield* Queries
        const payout = yield* queries.record(id, Payout, made)
        assert.deepStrictEqual([payout?.transactionId, payout?.waits?.reason], [null, "plan_refused"])
        // each time later than before: 20 seconds are no 40 tries
        assert.isBelow(payout?.waits?.tries ?? 0, 12)
        assert.deepStrictEqual(yield* queries.records(id, OutboundTransaction), [])
        assert.strictEqual(fake.signed(), 0)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }

  for (const [what, network, lie] of [
    ["moves more than was deposited", "ethereum", (plan) => ({ ...plan, units: plan.units + 50_000n })],
    ["moves from an account that does not pay", "tron", (plan) => ({ ...plan, from: "somebody" })],
    [
      "takes the sequence of another account",
      "stellar",
      (plan) => ({ ...plan, guard: { _tag: "Sequence", account: "G-stranger", first: 0n } })
    ],
    [
      "spends a UTXO that was not deposited",
      "bitcoin",
      ({ guard, ...plan }) => ({
        ...plan,
        guard: {
          _tag: "Utxos",
          fee: 10n,
          utxos: utxosOf(guard).map((utxo, at) => (at === 0 ? { ...utxo, vout: 77 } : utxo))
        }
      })
    ],
    [
      "spends a deposit twice",
      "bitcoin",
      ({ guard, ...plan }) => ({
        ...plan,
        guard: { _tag: "Utxos", fee: 10n, utxos: [...utxosOf(guard), ...utxosOf(guard).slice(0, 1)] }
      })
    ],
    [
      "spends one deposit of two",
      "bitcoin",
      ({ guard, ...plan }) => ({ ...plan, guard: { _tag: "Utxos", fee: 10n, utxos: utxosOf(guard).slice(1) } })
    ],
    [
      "gives the change to somebody",
      "bitcoin",
      (plan) => ({ ...plan, from: "bcrt1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq" })
    ],
    [
      "gives it all to the miner",
      "bitcoin",
      ({ guard, ...plan }) => ({ ...plan, guard: { _tag: "Utxos", fee: plan.units, utxos: utxosOf(guard) } })
    ]
  ] as const satisfies ReadonlyArray<readonly [string, Swept, (plan: Sweeps) => SweepPlan]>) {
    it.effect(`and ${what} sweeps nothing, and is told of (${network})`, () => {
      const fake = lying(fakeNetwork({ network, charges: true }), sweeps(lie))
      const { layer, told } = refusals()
      return Effect.gen(function* () {
        yield* TestClock.setTime(1_700_000_000_000)
        const { addresses, id } = yield* custody(network, fake, 2)
        const native = { bitcoin: "BTC", ethereum: "ETH", stellar: "XLM", tron: "TRX" } as const
        for (const address of addresses) {
          yield* confirmed(id, yield* arrive(id, fake, address, native[network], 50_000n))
        }
        yield* Effect.forkScoped(Effect.provide(sweeping(fake), layer))
        for (let n = 0; n < 20; n++) yield* tick
        assert.isNotEmpty(told)
        // it is looked at again every four seconds, not all the time
        assert.isBelow(told.length, 2 * 12)
        assert.deepStrictEqual(yield* sweepsOf(id), [])
        assert.strictEqual(fake.signed(), 0)
        yield* ledgerHolds(id)
      }).pipe(Effect.provide(processOver(emptyState(), fake)))
    })
  }
})
