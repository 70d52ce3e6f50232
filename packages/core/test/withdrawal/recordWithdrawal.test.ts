import { beginCustody } from "@bursar/core/custody/beginCustody"
import { custodianQueue } from "@bursar/core/custody/CustodyStep"
import { schedule } from "@bursar/core/engine/Job"
import { withdrawalScope } from "@bursar/core/limit/limitedUsage"
import { Usage } from "@bursar/core/limit/Usage"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import type { WithdrawalState } from "@bursar/core/port/Custodian"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { done, type ProviderResult, refused, unknown } from "@bursar/core/port/ProviderResult"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { recordWithdrawal, type WithdrawalReport } from "@bursar/core/withdrawal/recordWithdrawal"
import { writing } from "@bursar/testkit/fixtures/commands"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { balanceOf, eventsOf, float } from "../transfer/world.ts"
import { dollar, store, submit, verified, withdraw, withdrawer, wrong } from "./world.ts"

const [coin, units, all] = ["USDC_BASE", 5_000_000n, 1_000_000_000_000n]

/** What the limit counts, in US cents. */
const counted = Effect.fnUntraced(function* (id: TenantId) {
  const usage = yield* (yield* Queries).record(id, Usage, withdrawalScope)
  return (usage?.buckets ?? []).reduce((sum, { cents }) => sum + cents, 0n)
})

/** A withdrawal whose order went out. */
const sent = Effect.gen(function* () {
  const id = yield* withdrawer()
  yield* verified(id, "0x00000000000000000000000000000000000000A1")
  const made = yield* withdraw(id, units)
  if (typeof made === "string") return assert.fail(made)
  const begun = yield* submit(id, beginCustody(made, { name: "fake", environment: "LIVE" }))
  return begun._tag === "Send" ? { id, operation: begun.operation } : assert.fail(begun._tag)
})

const hear = Effect.fnUntraced(function* (
  id: TenantId,
  operation: Operation,
  answer: ProviderResult<WithdrawalState>,
  networkFeeBorneBy: WithdrawalReport["networkFeeBorneBy"] = "RECEIVER",
  more: Pick<WithdrawalReport, "stated"> = {}
) {
  // one dollar for a coin, two thousand for the network's own; of BTC nobody knows a price
  const one = yield* dollar()
  const two = { ...one, price: { units: 2_000n, decimals: 0 } }
  const usd = new Map([
    [coin, one],
    ["ETH", two]
  ])
  const report = { operation, answer, networkFeeBorneBy, usd, currencies: defaultCurrencies, ...more }
  yield* submit(id, recordWithdrawal(report))
  return (yield* (yield* Queries).operation(id, operation.id)) ?? assert.fail("it is gone")
})

const settled = (networkFee: ReturnType<typeof of> | null) =>
  done<WithdrawalState>({ _tag: "Settled", providerReference: "w-1", txHash: null, networkFee })

const inQueue = ({ id }: Operation) =>
  Effect.flatMap(JobQueue, (jobs) =>
    Effect.map(jobs.due(custodianQueue, Number.MAX_SAFE_INTEGER, 9), (due) => due.some(({ key }) => key === id))
  )

const pendingAgain = done<WithdrawalState>({ _tag: "Pending", providerReference: "w-1", txHash: null })
const failedAfterAll = done<WithdrawalState>({ _tag: "Failed", providerReference: "w-1", reason: "it bounced" })

describe("a withdrawal that the custodian has said to be settled, in a way that cannot be booked", () => {
  it.effect(
    "stays unresolved and keeps its hold whatever less is said of it, until an outcome is told that can be",
    () =>
      Effect.gen(function* () {
        const { id, operation } = yield* sent
        const before = yield* float(id, coin)
        const told = yield* hear(id, operation, settled(of(7n, "BTC")), "SERVICE")
        // that it tells no fee any more takes back none
        for (const answer of [pendingAgain, failedAfterAll, settled(null), pendingAgain, settled(null)]) {
          const after = yield* hear(id, told, answer, "SERVICE")
          assert.deepStrictEqual([after.status === "FAILED", after.unresolved], [false, true])
          assert.deepStrictEqual(yield* float(id, coin), before)
        }
        const after = yield* hear(id, told, settled(of(1_000n, coin)), "SERVICE")
        assert.notProperty(after.details, "told_fee")
        assert.deepStrictEqual([after.status, after.unresolved, after.details.disputed], ["SETTLED", false, false])
        assert.deepStrictEqual(yield* wrong(id), [])
      }).pipe(Effect.provide(store))
  )

  it.effect("fails by the word of two operators", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* sent
      yield* hear(id, operation, settled(of(7n, "BTC")), "SERVICE")
      const after = yield* hear(id, operation, failedAfterAll, "SERVICE", { stated: true })
      assert.deepStrictEqual([after.status, after.unresolved, after.details.disputed], ["FAILED", false, false])
    }).pipe(Effect.provide(store))
  )
})

describe("what the network takes of a withdrawal", () => {
  it.effect.each<
    readonly [string, WithdrawalReport["networkFeeBorneBy"], ReturnType<typeof of> | null, bigint, string]
  >([
    ["is the service's cost where the service bears it", "SERVICE", of(300n, coin), 300n, coin],
    ["is the service's cost in whatever currency it was taken", "SERVICE", of(7n, "ETH"), 7n, "ETH"],
    ["is none where the custodian tells none", "SERVICE", null, 0n, coin],
    ["is none where it is nothing", "SERVICE", of(0n, coin), 0n, coin],
    ["is not the service's where the receiver bears it", "RECEIVER", of(300n, coin), 0n, coin]
  ])("%s", ([, borneBy, fee, cost, currency]) =>
    Effect.gen(function* () {
      const { id, operation } = yield* sent
      const paid = yield* balanceOf(id, "custodian", currency)
      const after = yield* hear(id, operation, settled(fee), borneBy)
      assert.strictEqual(after.status, "SETTLED")
      assert.deepStrictEqual(after.networkFee, fee)
      assert.strictEqual(after.details.network_fee_borne_by, borneBy)
      const spent = currency === coin ? units : 0n
      // what a place has not got is covered before it is spent, so that it never stands below zero
      const there = paid - spent - cost
      assert.strictEqual(yield* balanceOf(id, "custodian", currency), there < 0n ? 0n : there)
      assert.strictEqual(yield* balanceOf(id, "network_fees", currency), cost)
      assert.deepStrictEqual(yield* float(id, coin), [all - units, 0n], "the tenant pays what it asked for, no more")
      assert.isFalse(yield* inQueue(operation))
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})

describe("a fee of the network that cannot be so", () => {
  it.effect.each<readonly [string, WithdrawalReport["networkFeeBorneBy"], ReturnType<typeof of>]>([
    ["less than nothing", "SERVICE", of(-300n, coin)],
    ["less than nothing, of the receiver", "RECEIVER", of(-1n, coin)],
    ["of a currency that nobody knows", "SERVICE", of(5n, "NOPE")],
    ["of a currency that nobody knows, of the receiver", "RECEIVER", of(5n, "NOPE")],
    ["all that the receiver was to get", "RECEIVER", of(units, coin)],
    ["more than the receiver was to get", "RECEIVER", of(10n ** 30n, coin)],
    ["more than 500 dollars for five", "SERVICE", of(500_000_001n + 10_000n, coin)],
    ["more than 500 dollars of another currency", "SERVICE", of(251n * 10n ** 15n, "ETH")],
    ["more than there is", "SERVICE", of(10n ** 30n, "ETH")],
    ["of a currency whose worth is not known", "SERVICE", of(1n, "BTC")]
  ])("leaves open what became of a withdrawal, and moves nothing: %s", ([, borneBy, fee]) =>
    Effect.gen(function* () {
      const { id, operation } = yield* sent
      const after = yield* hear(id, operation, settled(fee), borneBy)
      assert.deepStrictEqual(
        [after.status, after.unresolved, after.networkFee, after.providerReference],
        [operation.status, true, null, "w-1"]
      )
      assert.match(String(after.details.unresolved_because), /as the network's fee|a fee of/u)
      assert.deepStrictEqual(yield* float(id, coin), [all - units, units])
      assert.strictEqual(yield* balanceOf(id, "network_fees", fee.currency), 0n)
      assert.isTrue(yield* inQueue(operation))
      assert.deepStrictEqual(yield* wrong(id), [])
      // and is settled once the custodian says what can be so
      assert.strictEqual((yield* hear(id, after, settled(of(units - 1n, coin)), borneBy)).status, "SETTLED")
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})

describe("a fee of the network that is much", () => {
  it.effect.each<readonly [string, ReturnType<typeof of>]>([
    ["500 dollars of the currency", of(500_000_000n, coin)],
    ["500 dollars of another", of(25n * 10n ** 16n, "ETH")]
  ])("is booked up to %s", ([, fee]) =>
    Effect.gen(function* () {
      const { id, operation } = yield* sent
      assert.strictEqual((yield* hear(id, operation, settled(fee), "SERVICE")).status, "SETTLED")
      assert.strictEqual(yield* balanceOf(id, "network_fees", fee.currency), fee.units)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is booked whatever it is where two operators say so", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* sent
      const fee = of(10n ** 18n, "ETH")
      yield* hear(id, operation, settled(fee), "SERVICE")
      assert.strictEqual(yield* balanceOf(id, "network_fees", "ETH"), 0n)
      assert.strictEqual((yield* hear(id, operation, settled(fee), "SERVICE", { stated: true })).status, "SETTLED")
      assert.strictEqual(yield* balanceOf(id, "network_fees", "ETH"), fee.units)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})

describe("an order of a withdrawal that the custodian denies", () => {
  it.effect("never had one: it failed, gives back what it held, and counts for no limit", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* sent
      assert.strictEqual(yield* counted(id), 500n)
      const after = yield* hear(id, operation, refused("no such address"))
      assert.strictEqual(after.status, "FAILED")
      assert.deepInclude(after.details, { failure_reason: "provider_rejected", failure_detail: "no such address" })
      assert.deepStrictEqual(yield* float(id, coin), [all, 0n])
      assert.strictEqual(yield* counted(id), 0n)
      assert.deepStrictEqual(yield* eventsOf(id, operation), ["withdrawal.failed"])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("had it before: nothing is known, nothing moves, and it is asked again", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* sent
      yield* hear(id, operation, done({ _tag: "Pending", providerReference: "w-1", txHash: null }))
      const after = yield* hear(id, operation, refused("what order?"))
      assert.deepStrictEqual([after.status, after.unresolved], ["SENT", true])
      assert.strictEqual(after.details.unresolved_because, "the custodian denies the order: what order?")
      assert.deepStrictEqual(yield* float(id, coin), [all - units, units])
      assert.strictEqual(yield* counted(id), 500n)
      assert.isTrue(yield* inQueue(operation))
      const later = yield* hear(id, operation, settled(null))
      assert.deepStrictEqual([later.status, later.unresolved], ["SETTLED", false])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})

describe("a withdrawal of which the custodian says", () => {
  it.effect("nothing is flagged, keeps what it holds, and is asked again", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* sent
      const after = yield* hear(id, operation, unknown("503"))
      assert.deepStrictEqual([after.unresolved, after.details.unresolved_because], [true, "503"])
      assert.deepStrictEqual(yield* float(id, coin), [all - units, units])
      assert.deepStrictEqual(yield* eventsOf(id, operation), ["withdrawal.unresolved"])
      assert.isTrue(yield* inQueue(operation))
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("that it failed keeps the custodian's reference, and is looked at for a while", () =>
    Effect.gen(function* () {
      const { id, operation } = yield* sent
      const after = yield* hear(id, operation, done({ _tag: "Failed", providerReference: "w-1", reason: "no" }))
      assert.deepStrictEqual([after.status, after.providerReference], ["FAILED", "w-1"])
      assert.deepInclude(after.details, { failure_reason: "provider_rejected", failure_detail: "no" })
      assert.deepStrictEqual(yield* float(id, coin), [all, 0n])
      assert.strictEqual(yield* counted(id), 0n)
      assert.isTrue(yield* inQueue(operation))
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("anything, though there is none, is taken out of the queue", () =>
    Effect.gen(function* () {
      const { operation } = yield* sent
      const other = yield* withdrawer()
      yield* submit(
        other,
        writing(() => [schedule(custodianQueue, operation.id, 0)])
      )
      const report = {
        operation,
        answer: settled(null),
        networkFeeBorneBy: "RECEIVER",
        currencies: defaultCurrencies
      } as const
      assert.isUndefined(yield* submit(other, recordWithdrawal(report)))
      const due = yield* (yield* JobQueue).due(custodianQueue, Number.MAX_SAFE_INTEGER, 9)
      assert.isFalse(due.some(({ tenantId }) => tenantId === other))
      assert.deepStrictEqual(yield* float(other, coin), [all, 0n])
    }).pipe(Effect.provide(store))
  )
})
