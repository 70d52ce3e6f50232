import { adjustFloat, type Adjustment } from "@bursar/core/adjustment/adjustFloat"
import { FloatAdjustment, waitingAdjustments } from "@bursar/core/adjustment/FloatAdjustment"
import { accountOfPlace, placeOfAccount } from "@bursar/core/adjustment/place"
import {
  adjustmentScope,
  adjustmentWindowMs,
  approveAdjustment,
  rejectAdjustment,
  requestAdjustment,
  type RequestAdjustment
} from "@bursar/core/adjustment/requestAdjustment"
import { bucketMs, Usage } from "@bursar/core/limit/Usage"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Operation } from "@bursar/core/operation/Operation"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { balanceOf, refusalOf, store, submit, wrong } from "../transfer/world.ts"

const coin = "USDC_BASE"

/** A tenant with 1,000 coins at the custodian, and 100 dollars that one operator may adjust by alone. */
const tenant = Effect.fnUntraced(function* (adjustmentReviewUsd: string | null = "100") {
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, adjustmentReviewUsd } })
  yield* submit(id, adjustFloat({ amount: of(1_000_000_000n, coin), against: "custodian", reason: "funded" }))
  return id
})

/** A correction of so many dollars. */
const request = Effect.fnUntraced(function* (dollars: number, more: Partial<RequestAdjustment> = {}) {
  const observedAt = yield* Clock.currentTimeMillis
  return requestAdjustment({
    amount: of(BigInt(Math.round(dollars * 1_000_000)), coin),
    against: "custodian",
    reason: "found",
    by: "anna",
    usd: { price: { units: 1n, decimals: 0 }, source: "test", observedAt },
    currencies: defaultCurrencies,
    ...more
  })
})

const ask = (id: TenantId, dollars: number, more?: Partial<RequestAdjustment>) =>
  Effect.flatMap(request(dollars, more), (command) => submit(id, command))

const proposed = Effect.fnUntraced(function* (id: TenantId, dollars: number, more?: Partial<RequestAdjustment>) {
  const said = yield* ask(id, dollars, more)
  return said.state === "proposed" ? said.adjustment : assert.fail("it was booked")
})

const stand = Effect.fnUntraced(function* (id: TenantId) {
  return [yield* balanceOf(id, "float:available", coin), yield* balanceOf(id, "custodian", coin)] as const
})

const waiting = (id: TenantId) =>
  Effect.flatMap(Queries, (queries) => queries.records(id, FloatAdjustment, waitingAdjustments))

describe("one operator alone", () => {
  it.effect("adjusts by less than the threshold, and is named", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const said = yield* ask(id, 99.99)
      if (said.state !== "booked") return assert.fail("it was proposed")
      assert.strictEqual(said.available, 1_099_990_000n)
      assert.deepInclude(said.operation, { kind: "ADJUSTMENT", status: "SETTLED", amount: of(99_990_000n, coin) })
      assert.deepStrictEqual(said.operation.details, {
        reason: "found",
        made_by: "anna",
        approved_by: null,
        usd_cents: "9999",
        against: "custodian"
      })
      assert.deepStrictEqual(yield* stand(id), [1_099_990_000n, 1_099_990_000n])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect.each([100, -100, 100.01, 900])("adjusts by no more: %s dollars are proposed, and book nothing", (dollars) =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const before = yield* stand(id)
      const said = yield* ask(id, dollars)
      assert.deepInclude(said, { state: "proposed", available: before[0] })
      assert.deepStrictEqual(yield* stand(id), before)
      assert.lengthOf(yield* waiting(id), 1)
    }).pipe(Effect.provide(store))
  )

  it.effect("cannot cut a large adjustment into small ones: what was booked within a day counts, whichever way", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      assert.strictEqual((yield* ask(id, 60)).state, "booked")
      assert.strictEqual((yield* ask(id, -39.99)).state, "booked")
      assert.strictEqual((yield* ask(id, 0.01)).state, "proposed")
      yield* TestClock.adjust(adjustmentWindowMs - bucketMs)
      assert.strictEqual((yield* ask(id, 0.01)).state, "proposed")
      yield* TestClock.adjust(2 * bucketMs)
      assert.strictEqual((yield* ask(id, 99)).state, "booked")
      const usage = yield* (yield* Queries).record(id, Usage, adjustmentScope)
      assert.deepStrictEqual(
        usage?.buckets.map(({ cents }) => cents),
        [9_900n]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("adjusts by nothing of which the worth is not known", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      assert.strictEqual((yield* ask(id, 0.01, { usd: null })).state, "proposed")
      const strange = { amount: of(1n, "XXX") }
      assert.strictEqual((yield* ask(id, 0, strange)).state, "proposed")
    }).pipe(Effect.provide(store))
  )

  it.effect("adjusts by anything where nobody has to approve, and what has no price counts for nothing", () =>
    Effect.gen(function* () {
      const id = yield* tenant(null)
      for (const usd of [null, undefined]) {
        const said = yield* ask(id, 5_000, usd === null ? { usd } : {})
        if (said.state !== "booked") return assert.fail("it was proposed")
        assert.strictEqual(said.operation.details.usd_cents, usd === null ? undefined : "500000")
      }
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})

describe("a proposal of an adjustment", () => {
  it.effect("is booked once another operator approves it, and names both", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const adjustment = yield* proposed(id, 500)
      const command = approveAdjustment({ adjustment, by: "bob", currencies: defaultCurrencies })
      const own = approveAdjustment({ adjustment, by: "anna", currencies: defaultCurrencies })
      assert.strictEqual(yield* refusalOf(id, own), "state_conflict")
      assert.deepStrictEqual(yield* stand(id), [1_000_000_000n, 1_000_000_000n])
      yield* TestClock.adjust("1 hour")
      const operation = yield* submit(id, command)
      assert.deepStrictEqual(operation.details, {
        reason: "found",
        made_by: "anna",
        approved_by: "bob",
        against: "custodian"
      })
      assert.deepStrictEqual(yield* stand(id), [1_500_000_000n, 1_500_000_000n])
      assert.deepStrictEqual(yield* (yield* Queries).record(id, FloatAdjustment, adjustment.id), {
        ...adjustment,
        state: "BOOKED",
        decidedBy: "bob",
        operationId: operation.id,
        decidedAt: yield* Clock.currentTimeMillis
      })
      assert.deepStrictEqual(yield* waiting(id), [])
      // once
      assert.strictEqual(yield* refusalOf(id, command), "state_conflict")
      assert.strictEqual(yield* refusalOf(id, rejectAdjustment(adjustment, "bob", "no")), "state_conflict")
      assert.deepStrictEqual(yield* stand(id), [1_500_000_000n, 1_500_000_000n])
      // what two have seen leaves what one may do alone
      assert.strictEqual((yield* ask(id, 99)).state, "booked")
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is rejected by anybody, whoever made it, and never booked then", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      for (const by of ["anna", "bob"]) {
        const adjustment = yield* proposed(id, 500)
        const rejected = yield* submit(id, rejectAdjustment(adjustment, by, "no"))
        const decidedAt = yield* Clock.currentTimeMillis
        assert.deepStrictEqual(rejected, {
          ...adjustment,
          state: "REJECTED",
          decidedBy: by,
          rejectedReason: "no",
          decidedAt
        })
        const command = approveAdjustment({ adjustment, by: "carl", currencies: defaultCurrencies })
        assert.strictEqual(yield* refusalOf(id, command), "state_conflict")
      }
      assert.deepStrictEqual(yield* stand(id), [1_000_000_000n, 1_000_000_000n])
    }).pipe(Effect.provide(store))
  )

  it.effect("is its tenant's alone", () =>
    Effect.gen(function* () {
      const [id, other] = [yield* tenant(), yield* tenant()]
      const adjustment = yield* proposed(id, 500)
      const command = approveAdjustment({ adjustment, by: "bob", currencies: defaultCurrencies })
      assert.strictEqual(yield* refusalOf(other, command), "not_found")
      assert.strictEqual(yield* refusalOf(other, rejectAdjustment(adjustment, "bob", "no")), "not_found")
    }).pipe(Effect.provide(store))
  )

  it.effect("is held against what there is when it is approved", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const all = yield* Effect.forEach([1, 2], () => proposed(id, -600))
      const outcomes = yield* Effect.forEach(all, (adjustment) =>
        refusalOf(id, approveAdjustment({ adjustment, by: "bob", currencies: defaultCurrencies }))
      )
      assert.deepStrictEqual(outcomes, [null, "insufficient_balance"])
      assert.deepStrictEqual(yield* stand(id), [400_000_000n, 400_000_000n])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("moves what it says, whatever was read of it", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const adjustment = yield* proposed(id, 500)
      const forged = { ...adjustment, amount: of(900_000_000n, coin), proposedBy: "zoe" }
      const own = approveAdjustment({ adjustment: forged, by: "anna", currencies: defaultCurrencies })
      assert.strictEqual(yield* refusalOf(id, own), "state_conflict")
      yield* submit(id, approveAdjustment({ adjustment: forged, by: "bob", currencies: defaultCurrencies }))
      assert.deepStrictEqual(yield* stand(id), [1_500_000_000n, 1_500_000_000n])
    }).pipe(Effect.provide(store))
  )

  it.effect("is not made of a move from a place to itself, as one operator alone makes none", () =>
    Effect.gen(function* () {
      for (const threshold of [null, "100"]) {
        const id = yield* tenant(threshold)
        const move = yield* request(500, { from: "custodian", against: "custodian" })
        assert.strictEqual(yield* refusalOf(id, move), "invalid_request", threshold ?? "alone")
        assert.deepStrictEqual(yield* waiting(id), [])
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is not made of nothing, nor of a move of less than nothing", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const refused = (dollars: number, more: Partial<RequestAdjustment>) =>
        Effect.flatMap(request(dollars, more), (command) => refusalOf(id, command))
      for (const usd of [null, { price: { units: 1n, decimals: 0 }, source: "t", observedAt: 0 }]) {
        assert.strictEqual(yield* refused(0, { usd }), "amount_invalid")
        assert.strictEqual(yield* refused(-0.01, { usd, from: "custodian", against: "bank" }), "amount_invalid")
      }
      assert.strictEqual(yield* refused(-500, { from: "custodian", against: "bank" }), "amount_invalid")
      assert.deepStrictEqual(yield* waiting(id), [])
    }).pipe(Effect.provide(store))
  )
})

describe("an adjustment", () => {
  const adjust = (units: bigint, more: Partial<Adjustment> = {}) =>
    adjustFloat({ amount: of(units, coin), against: "custodian", reason: "r", ...more })

  it.effect.each<readonly [string, bigint, Partial<Adjustment>, string]>([
    ["nothing", 0n, {}, "amount_invalid"],
    ["a move of nothing", 0n, { from: "custodian", against: "bank" }, "amount_invalid"],
    ["a move back", -1n, { from: "custodian", against: "bank" }, "amount_invalid"],
    ["a move to where it stands", 1n, { from: "custodian", against: "custodian" }, "invalid_request"],
    [
      "a move of more than stands there",
      1_000_000_001n,
      { from: "custodian", against: "bank" },
      "insufficient_balance"
    ],
    ["a move from where nothing stands", 1n, { from: "bank", against: "custodian" }, "insufficient_balance"],
    ["more than the float has", -1_000_000_001n, {}, "insufficient_balance"],
    ["what does not stand there", -1n, { against: "bank" }, "insufficient_balance"]
  ])("of %s is refused, and books nothing", ([, units, more, code]) =>
    Effect.gen(function* () {
      const id = yield* tenant()
      assert.strictEqual(yield* refusalOf(id, adjust(units, more)), code)
      assert.deepStrictEqual(yield* stand(id), [1_000_000_000n, 1_000_000_000n])
      assert.lengthOf(yield* (yield* Queries).records(id, Operation), 1)
    }).pipe(Effect.provide(store))
  )

  it.effect("says what there is where there is not enough", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const said = yield* Effect.flip(submit(id, adjust(1_500_000_000n, { from: "custodian", against: "bank" })))
      assert.deepStrictEqual(said._tag === "Refusal" && said.detail, {
        place: "custodian",
        available: { amount: "1000", currency: coin },
        required: { amount: "1500", currency: coin }
      })
    }).pipe(Effect.provide(store))
  )

  it.effect("of all that there is leaves nothing, and no less", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      yield* submit(id, adjust(-1_000_000_000n))
      assert.deepStrictEqual(yield* stand(id), [0n, 0n])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("that moves value between two places leaves the float as it is", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const said = yield* ask(id, 90, { from: "custodian", against: "bank" })
      if (said.state !== "booked") return assert.fail("it was proposed")
      assert.strictEqual(said.available, 1_000_000_000n)
      assert.deepStrictEqual(said.operation.details, {
        reason: "found",
        made_by: "anna",
        approved_by: null,
        usd_cents: "9000",
        moved: { from: "custodian", to: "bank" }
      })
      assert.deepStrictEqual(yield* stand(id), [1_000_000_000n, 910_000_000n])
      assert.strictEqual(yield* balanceOf(id, "bank", coin), 90_000_000n)
      const adjustment = yield* proposed(id, 500, { from: "custodian", against: "bank" })
      yield* submit(id, approveAdjustment({ adjustment, by: "bob", currencies: defaultCurrencies }))
      assert.deepStrictEqual(yield* stand(id), [1_000_000_000n, 410_000_000n])
      assert.strictEqual(yield* balanceOf(id, "bank", coin), 590_000_000n)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )
})

describe("a place that adjustments name", () => {
  const [onChain, fiat] = [defaultCurrencies.byCode("USDT_ETH"), defaultCurrencies.byCode("EUR")]

  it("is an account, and one that has a name is called by it", () => {
    if (onChain === undefined || fiat === undefined) return assert.fail("no such currency")
    for (const [place, account] of [
      ["payout_wallet", "chain:ethereum:payouts"],
      ["deposit_addresses", "chain:ethereum:deposits"],
      ["tenant_addresses", "chain:ethereum:tenant"]
    ] as const) {
      assert.strictEqual(accountOfPlace(place, onChain), account)
      assert.strictEqual(placeOfAccount(account), place)
      assert.isUndefined(accountOfPlace(place, fiat), "it is on no network")
    }
    for (const place of ["custodian", "bank", "suspense"] as const)
      for (const currency of [onChain, fiat]) {
        assert.strictEqual(accountOfPlace(place, currency), place)
        assert.strictEqual(placeOfAccount(place), place)
      }
  })

  it("is none of another name", () => {
    if (onChain === undefined) return assert.fail("no such currency")
    for (const name of ["", "fees", "float:available", "toString", "constructor", "payouts", "chain:ethereum:payouts"])
      assert.isUndefined(accountOfPlace(name, onChain), name)
    for (const account of ["float:available", "account:x:payouts", "suspense:chain:payouts"] as const)
      assert.strictEqual(placeOfAccount(account as never), account) // whatever account it is
  })
})
