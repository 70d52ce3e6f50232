import { readRecord } from "@bursar/core/engine/Records"
import {
  newReceiverScope,
  payoutScope,
  usageKeptMs,
  withdrawalScope,
  withdrawalWindowHoursMax
} from "@bursar/core/limit/limitedUsage"
import { assessPayout, type Outgoing } from "@bursar/core/limit/assessPayout"
import { minimumOut } from "@bursar/core/limit/minimum"
import { reviewFromOf } from "@bursar/core/limit/reviewFrom"
import { addUsage, bucketMs, Usage, usedCents } from "@bursar/core/limit/Usage"
import { withdrawalLimitAt } from "@bursar/core/limit/withdrawalLimit"
import { worthOf } from "@bursar/core/limit/worth"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Rate } from "@bursar/core/money/Rate"
import { operationKinds } from "@bursar/core/operation/OperationKind"
import { defaultPolicy, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { store, submit } from "../transfer/world.ts"

const day = 86_400_000
const currency = (code: string) => defaultCurrencies.byCode(code) ?? assert.fail(`there is no ${code}`)
const price = (units: bigint, observedAt = 0): Rate => ({ price: { units, decimals: 0 }, source: "test", observedAt })

describe("the usage of a limit", () => {
  const start = 1_700_000_100_000

  it("is one bucket for each five minutes, oldest first, whatever order it is told in", () => {
    const moments = [7, 0, 3, 1, 3].map((n) => start + n * bucketMs + 12_345)
    const usage = moments.reduce<Usage | undefined>(
      (all, at) => addUsage(all, "x", { at, cents: 1n }, day, start),
      undefined
    )
    assert.deepStrictEqual(
      usage?.buckets,
      [0, 1, 3, 7].map((n) => ({ from: start + n * bucketMs, cents: n === 3 ? 2n : 1n }))
    )
    assert.strictEqual(start % bucketMs, 0)
  })

  it("is none before the first, and none is kept of what is nothing", () => {
    assert.strictEqual(usedCents(undefined, day, start), 0n)
    assert.deepStrictEqual(addUsage(undefined, "x", { at: start, cents: 0n }, day, start), { scope: "x", buckets: [] })
    assert.deepStrictEqual(addUsage(undefined, "x", { at: start, cents: -5n }, day, start).buckets, [])
  })

  it("is kept for as long as a window of its limit can be", () => {
    assert.strictEqual(usageKeptMs(withdrawalScope), withdrawalWindowHoursMax * 3_600_000)
    for (const scope of [payoutScope, newReceiverScope]) assert.strictEqual(usageKeptMs(scope), day)
  })

  it("leaves nothing of a limit that was lowered below it, and never less", () => {
    const usage = addUsage(undefined, withdrawalScope, { at: start, cents: 500n }, day, start)
    const remaining = (withdrawalLimitUsd: string) =>
      withdrawalLimitAt({ ...defaultPolicy, withdrawalLimitUsd }, usage, start)
    assert.deepStrictEqual(remaining("7"), { limit: 700n, spent: 500n, remaining: 200n })
    assert.deepStrictEqual(remaining("5"), { limit: 500n, spent: 500n, remaining: 0n })
    assert.deepStrictEqual(remaining("3"), { limit: 300n, spent: 500n, remaining: 0n })
  })
})

describe("what an amount counts for", () => {
  it("is rounded up, so that nothing counts for nothing", () => {
    const cents = (units: bigint) => worthOf(units, currency("USDC_BASE"), price(1n), 0)?.cents
    assert.deepStrictEqual([1n, 10_000n, 10_001n, 1_000_000n].map(cents), [1n, 1n, 2n, 100n])
  })

  it("is a dollar for a dollar, whatever the market says, and not known without a fresh price of anything else", () => {
    const dollars = worthOf(7n, currency("USD"), null, 5)
    assert.deepStrictEqual(dollars, {
      cents: 7n,
      price: { price: { units: 1n, decimals: 0 }, source: "par", observedAt: 5 }
    })
    assert.strictEqual(worthOf(7n, currency("USD"), price(9n), 5)?.cents, 7n)
    for (const code of ["EUR", "USDC_BASE"]) {
      assert.isNull(worthOf(7n, currency(code), null, 5))
      assert.isNull(worthOf(7n, currency(code), price(1n), day))
    }
  })
})

describe("what is reviewed by its worth", () => {
  it("is what leaves, by the threshold of its kind, where there is one", () => {
    const policy: TenantPolicy = { ...defaultPolicy, payoutReviewUsd: "7", withdrawalReviewUsd: "9" }
    const payouts = new Set(["CHAIN_PAYOUT", "OFF_RAMP", "BANK_TRANSFER", "REFUND"])
    for (const kind of operationKinds) {
      const from = payouts.has(kind) ? 700n : kind === "WITHDRAWAL" ? 900n : null
      assert.strictEqual(reviewFromOf(policy, kind), from, kind)
      const none = { ...policy, payoutReviewUsd: null, withdrawalReviewUsd: null }
      assert.isNull(reviewFromOf(none, kind), kind)
    }
  })
})

describe("the least that is sent", () => {
  it("is what the policy says, rounded up to whole units, else what the currency does, and never nothing", () => {
    const eur = currency("EUR")
    assert.strictEqual(minimumOut({ payoutMinimums: { EUR: "5" } }, eur), 500n)
    assert.strictEqual(minimumOut({ payoutMinimums: { EUR: "0.011" } }, eur), 2n)
    assert.strictEqual(minimumOut({ payoutMinimums: { USD: "5" } }, { ...eur, minimumOut: 7n }), 7n)
    const { minimumOut: _, ...unbounded } = eur
    assert.strictEqual(minimumOut({ payoutMinimums: {} }, unbounded), 1n)
  })
})

/** Holds a payout of so many cents of EUR, each a dollar, against a policy. */
const assessed = Effect.fnUntraced(function* (policy: Partial<TenantPolicy>, more: Partial<Outgoing> = {}) {
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, ...policy } })
  const usd = price(1n, yield* Clock.currentTimeMillis)
  const outgoing: Outgoing = {
    kind: "BANK_TRANSFER",
    units: 1_000n,
    currency: currency("EUR"),
    usd,
    isNew: true,
    ...more
  }
  const command = {
    name: "Assessing",
    reads: [readRecord(Usage, payoutScope), readRecord(Usage, newReceiverScope)],
    decide: (view: Parameters<typeof assessPayout>[0]) =>
      Result.map(assessPayout(view, outgoing), (reply) => ({ changes: [], reply }))
  }
  return yield* submit(id, command).pipe(
    Effect.map(({ details, inReview }) => ({ refused: null, inReview, details })),
    Effect.catchTag("Refusal", ({ code, detail }) => Effect.succeed({ refused: code, detail }))
  )
})

const none = {
  payoutLimitUsd: null,
  payoutDailyLimitUsd: null,
  payoutNewAddressLimitUsd: null,
  payoutReviewUsd: null
} as const

describe("a payout", () => {
  it.effect("without limits is let pass, and is worth nothing that is known where it has no price", () =>
    Effect.gen(function* () {
      const passed = yield* assessed(none, { units: 10n ** 15n })
      assert.deepInclude(passed, { refused: null, inReview: false })
      const unknown = yield* assessed(none, { usd: null, isNew: false })
      assert.deepStrictEqual(unknown, {
        refused: null,
        inReview: false,
        details: { review: null, usd_cents: null, usd_price: null, new_address: false }
      })
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps what it was worth, and by which price", () =>
    Effect.gen(function* () {
      const passed = yield* assessed({})
      assert.deepStrictEqual(passed, {
        refused: null,
        inReview: false,
        details: {
          review: null,
          usd_cents: "1000",
          usd_price: { units: "1", decimals: 0, source: "test" },
          new_address: true
        }
      })
    }).pipe(Effect.provide(store))
  )

  it.effect.each<readonly [Partial<TenantPolicy>, string | null]>([
    [{ payoutLimitUsd: "10" }, null],
    [{ payoutLimitUsd: "9.99" }, "payout_limit_exceeded"],
    [{ payoutDailyLimitUsd: "10" }, null],
    [{ payoutDailyLimitUsd: "9.99" }, "daily_limit_exceeded"],
    [{ payoutNewAddressLimitUsd: "10" }, null],
    [{ payoutNewAddressLimitUsd: "9.99" }, "new_address_limit_exceeded"]
  ])("is held against each limit by itself, to the cent: %j", ([limit, refusal]) =>
    Effect.gen(function* () {
      const said = yield* assessed({ ...none, ...limit })
      assert.strictEqual(said.refused, refusal)
      if ("detail" in said) assert.deepStrictEqual(said.detail, { limit_usd: "9.99", used_usd: "0" })
      // and against none of them without a price
      assert.strictEqual((yield* assessed({ ...none, ...limit }, { usd: null })).refused, "price_unavailable")
    }).pipe(Effect.provide(store))
  )

  it.effect("to a known receiver is not held against the limit for new ones", () =>
    Effect.gen(function* () {
      const strict = { ...none, payoutNewAddressLimitUsd: "9.99" }
      assert.isNull((yield* assessed(strict, { isNew: false })).refused)
    }).pipe(Effect.provide(store))
  )

  it.effect("takes a review from the threshold on", () =>
    Effect.gen(function* () {
      for (const [payoutReviewUsd, inReview] of [
        ["10", true],
        ["10.01", false]
      ] as const) {
        const said = yield* assessed({ ...none, payoutReviewUsd })
        assert.deepInclude(said, { inReview })
        assert.strictEqual("details" in said && said.details.review?.state === "PENDING", inReview)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is of the least amount at least, unless it pays back what came", () =>
    Effect.gen(function* () {
      const dear = { ...none, payoutMinimums: { EUR: "10.01" } }
      for (const kind of ["BANK_TRANSFER", "OFF_RAMP", "CHAIN_PAYOUT"] as const)
        assert.strictEqual((yield* assessed(dear, { kind })).refused, "below_minimum")
      assert.isNull((yield* assessed(dear, { kind: "REFUND" })).refused)
      assert.isNull((yield* assessed(dear, { units: 1_001n })).refused)
    }).pipe(Effect.provide(store))
  )
})
