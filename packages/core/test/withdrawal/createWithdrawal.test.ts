import { type Amount, of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Rate } from "@bursar/core/money/Rate"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { custodianQueue } from "@bursar/core/custody/CustodyStep"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { defaultPolicy, type TenantPolicy } from "@bursar/core/tenant/Tenant"
import { borneByReceiver, type NetworkCost } from "@bursar/core/withdrawal/borneByReceiver"
import { createWithdrawal, type WithdrawalRequest } from "@bursar/core/withdrawal/createWithdrawal"
import { type EstimateWithdrawal, estimateWithdrawal } from "@bursar/core/withdrawal/estimateWithdrawal"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { balanceOf, float } from "../transfer/world.ts"
import { dollar, keyed, store, submit, verified, withdraw, withdrawer, wrong } from "./world.ts"

const mine = "0x00000000000000000000000000000000000000A1"
const million = 1_000_000n

describe("a withdrawal", () => {
  it.effect.each<readonly [string, string, Partial<TenantPolicy>, bigint, Partial<WithdrawalRequest>]>([
    [
      "another environment's custodian",
      "product_not_enabled",
      {},
      million,
      { provider: { name: "fake", environment: "SANDBOX" } }
    ],
    ["fiat", "unsupported_asset", {}, million, { amount: of(100n, "EUR") }],
    ["what nobody knows", "unsupported_asset", {}, million, { amount: of(100n, "XXX") }],
    ["what is switched off", "payouts_disabled", { withdrawalsEnabled: false }, million, {}],
    ["a currency without a destination", "destination_not_verified", {}, million, { amount: of(million, "USDT_ETH") }],
    ["less than the minimum", "below_minimum", { payoutMinimums: { USDC_BASE: "5" } }, 5n * million - 1n, {}],
    ["what has no price", "price_unavailable", {}, million, { usd: null }],
    ["more than the limit", "withdrawal_limit_exceeded", { withdrawalLimitUsd: "3" }, 3n * million + 10_000n, {}],
    ["more than there is", "insufficient_balance", { withdrawalLimitUsd: "99999999999" }, million * million + 1n, {}]
  ])("of %s is refused as %s, and takes nothing", ([, code, policy, units, more]) =>
    Effect.gen(function* () {
      const id = yield* withdrawer(policy)
      yield* verified(id, mine)
      const before = yield* float(id, "USDC_BASE")
      assert.strictEqual(yield* withdraw(id, units, more), code)
      assert.deepStrictEqual(yield* float(id, "USDC_BASE"), before)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is accepted at the minimum, and up to the limit, which it uses up", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ payoutMinimums: { USDC_BASE: "3" }, withdrawalLimitUsd: "3" })
      yield* verified(id, mine)
      assert.notStrictEqual(typeof (yield* withdraw(id, 3n * million)), "string")
      assert.strictEqual(yield* withdraw(id, 3n * million), "withdrawal_limit_exceeded")
    }).pipe(Effect.provide(store))
  )

  it.effect("goes to no network of another environment, though its custodian is of the tenant's own", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ kind: "SANDBOX", policy: { ...defaultPolicy, destinationCoolingHours: 0 } })
      yield* verified(id, mine)
      const custodian = { name: "fake", environment: "SANDBOX" } as const
      assert.strictEqual(yield* withdraw(id, million, { provider: custodian }), "product_not_enabled")
    }).pipe(Effect.provide(store))
  )

  it.effect("says where it goes, by whose word, what it was worth and by which rule it was charged", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* verified(id, mine)
      const rule = yield* submit(
        id,
        addFeeRule({
          product: "WITHDRAWAL",
          currency: "USDC_BASE",
          rail: "base",
          percent: { units: 1n, decimals: 0 },
          minimumFee: { units: 0n, decimals: 0 },
          priority: 1,
          effectiveFrom: null
        })
      )
      const made = yield* withdraw(id, 5n * million)
      if (typeof made === "string") return assert.fail(made)
      assert.deepInclude(made, {
        kind: "WITHDRAWAL",
        status: "ACCEPTED",
        network: "base",
        provider: "fake",
        customerFee: of(50_000n, "USDC_BASE")
      })
      assert.deepInclude(made.details, {
        destination: { address: mine, memo: null },
        made_by: "maker",
        usd_cents: "500",
        fee_rule: rule.id,
        review: null
      })
      assert.deepStrictEqual(yield* float(id, "USDC_BASE"), [million * million - 5_050_000n, 5_050_000n])
      const [job] = yield* (yield* JobQueue).due(custodianQueue, made.createdAt, 9)
      assert.strictEqual(job?.key, made.id)
    }).pipe(Effect.provide(store))
  )

  it.effect("waits for an operator from the threshold on, and is in no queue until then", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ withdrawalReviewUsd: "4" })
      yield* verified(id, mine)
      const under = yield* withdraw(id, 4n * million - 10_000n)
      const from = yield* withdraw(id, 4n * million)
      if (typeof under === "string" || typeof from === "string") return assert.fail("refused")
      assert.deepStrictEqual([under.status, from.status], ["ACCEPTED", "IN_REVIEW"])
      assert.strictEqual(from.details.review?.state, "PENDING")
      const due = yield* (yield* JobQueue).due(custodianQueue, Number.MAX_SAFE_INTEGER, 9)
      assert.deepStrictEqual(
        due.map(({ key }) => key),
        [under.id]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("without a rule of fees says so, and costs what is usual", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      yield* verified(id, mine)
      const request = {
        amount: of(million, "USDC_BASE"),
        partnerReference: null,
        usd: yield* dollar(),
        provider: { name: "fake", environment: "LIVE" },
        madeBy: "maker",
        defaultFees: [],
        currencies: defaultCurrencies
      } as const
      const made = yield* keyed(id, createWithdrawal(request), "POST /v1/withdrawals")
      if (typeof made === "string") return assert.fail(made)
      assert.isNull(made.details.fee_rule)
      assert.strictEqual(made.customerFee?.units, 0n)
      assert.strictEqual(yield* balanceOf(id, "float:held", "USDC_BASE"), million)
    }).pipe(Effect.provide(store))
  )
})

describe("an estimate of a withdrawal", () => {
  const [usdc, eth] = [defaultCurrencies.byCode("USDC_BASE"), defaultCurrencies.byCode("ETH")]
  const now = 1_700_000_000_000
  const price = (units: bigint, agedMs = 0): Rate => ({
    price: { units, decimals: 0 },
    source: "test",
    observedAt: now - agedMs
  })

  const estimate = (more: Partial<EstimateWithdrawal> = {}) => {
    if (usdc === undefined || eth === undefined) return assert.fail("no such currency")
    const asked: EstimateWithdrawal = {
      currency: usdc,
      units: 10n * million,
      network: "base",
      fees: {
        own: [],
        defaults: [flatFee(100_000n, 6, { product: "WITHDRAWAL", currency: "USDC_BASE", rail: "base" })],
        now
      },
      networkFee: of(200_000n, "USDC_BASE"),
      networkFeeBorneBy: "RECEIVER",
      usd: new Map([
        ["USDC_BASE", price(1n)],
        ["ETH", price(3_000n)]
      ]),
      currencies: defaultCurrencies,
      ...more
    }
    return estimateWithdrawal(asked)
  }

  it("tells the fee, what the network takes, and what is left of the amount", () => {
    assert.deepStrictEqual(estimate(), {
      fee: of(100_000n, "USDC_BASE"),
      feeUsd: 10n,
      networkFeeUsd: 20n,
      received: of(9_800_000n, "USDC_BASE"),
      usdUnavailable: []
    })
  })

  it("leaves the whole amount to the receiver where the service bears what the network takes", () => {
    assert.deepStrictEqual(estimate({ networkFeeBorneBy: "SERVICE" }).received, of(10n * million, "USDC_BASE"))
  })

  it.each<readonly [string, Partial<EstimateWithdrawal>]>([
    ["the network's fee is not known", { networkFee: null }],
    ["it is not known, whoever bears it", { networkFee: null, networkFeeBorneBy: "SERVICE" }],
    ["it is taken in another currency", { networkFee: of(1n, "ETH") }],
    ["it is all that there is", { networkFee: of(10n * million, "USDC_BASE") }],
    ["it is more", { networkFee: of(10n * million + 1n, "USDC_BASE") }]
  ])("does not guess what arrives where %s", (_, more) => {
    assert.isNull(estimate(more).received)
  })

  it.each<readonly [string, NetworkCost, Amount | "price_unavailable" | null]>([
    ["the fee", { networkFee: of(7n, "USDC_BASE"), networkFeeBorneBy: "RECEIVER" }, of(7n, "USDC_BASE")],
    ["nothing, where the service bears it", { networkFee: of(7n, "ETH"), networkFeeBorneBy: "SERVICE" }, null],
    ["nothing, though the service does not know it", { networkFee: null, networkFeeBorneBy: "SERVICE" }, null],
    ["nobody knows what", { networkFee: null, networkFeeBorneBy: "RECEIVER" }, "price_unavailable"],
    [
      "what another currency is worth",
      { networkFee: of(7n, "ETH"), networkFeeBorneBy: "RECEIVER" },
      "price_unavailable"
    ]
  ])("takes from the receiver %s", (_, cost, taken) => {
    const borne = borneByReceiver("USDC_BASE", cost)
    assert.deepStrictEqual(Result.isFailure(borne) ? borne.failure.code : borne.success, taken)
  })

  it("tells what arrives to the last unit", () => {
    assert.deepStrictEqual(estimate({ networkFee: of(10n * million - 1n, "USDC_BASE") }).received, of(1n, "USDC_BASE"))
  })

  it("names each currency once whose price is wanting or old, and guesses no worth of it", () => {
    const usd = new Map([["ETH", price(3_000n)]])
    assert.deepInclude(estimate({ usd }), { feeUsd: null, networkFeeUsd: null, usdUnavailable: ["USDC_BASE"] })
    const inEth = { networkFee: of(10n ** 16n, "ETH") }
    assert.deepInclude(estimate({ usd, ...inEth }), {
      feeUsd: null,
      networkFeeUsd: 3_000n,
      usdUnavailable: ["USDC_BASE"]
    })
    assert.deepStrictEqual(estimate({ usd: new Map(), ...inEth }).usdUnavailable, ["USDC_BASE", "ETH"])
    const old = new Map([["USDC_BASE", price(1n, 86_400_000)]])
    assert.deepStrictEqual(estimate({ usd: old, networkFee: null }), {
      fee: of(100_000n, "USDC_BASE"),
      feeUsd: null,
      networkFeeUsd: null,
      received: null,
      usdUnavailable: ["USDC_BASE"]
    })
  })
})
