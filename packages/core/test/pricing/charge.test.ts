import type { Command } from "@bursar/core/engine/Command"
import { payoutScope } from "@bursar/core/limit/limitedUsage"
import { Usage } from "@bursar/core/limit/Usage"
import { of } from "@bursar/core/money/Amount"
import type { Currency } from "@bursar/core/money/Currency"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import type { Operation } from "@bursar/core/operation/Operation"
import { createPayout } from "@bursar/core/payout/createPayout"
import { estimatePayout } from "@bursar/core/payout/estimatePayout"
import { FeeRule } from "@bursar/core/pricing/FeeRule"
import { addFeeRule, retireFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { products } from "@bursar/core/pricing/Product"
import { Tenants } from "@bursar/core/port/Tenants"
import { Queries } from "@bursar/core/store/Queries"
import { createSwap } from "@bursar/core/swap/createSwap"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { createWithdrawal } from "@bursar/core/withdrawal/createWithdrawal"
import { estimateWithdrawal } from "@bursar/core/withdrawal/estimateWithdrawal"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { payer } from "../limit/world.ts"
import { float, request, store, submit, usdt } from "../payout/world.ts"
import { baseRequest } from "../transfer/world.ts"
import { dollar, verified } from "../withdrawal/world.ts"

const currencyOf = (code: string): Currency => defaultCurrencies.byCode(code) ?? assert.fail(`there is no ${code}`)

/** What each product that charges a fee is asked for by: 100 whole units. */
const asking = {
  CHAIN_PAYOUT: (defaultFees: ReadonlyArray<FeeRule>) =>
    Effect.map(request({ defaultFees }), (given): Command<Operation> => createPayout(given)),
  WITHDRAWAL: (defaultFees: ReadonlyArray<FeeRule>) =>
    Effect.map(dollar(), (usd) =>
      createWithdrawal({
        amount: of(100_000_000n, "USDC_BASE"),
        partnerReference: null,
        usd,
        provider: { name: "fake", environment: "LIVE" },
        madeBy: "maker",
        defaultFees,
        currencies: defaultCurrencies
      })
    ),
  SWAP: (defaultFees: ReadonlyArray<FeeRule>) =>
    Effect.map(dollar(), (rate) =>
      createSwap({
        madeBy: "maker",
        amount: of(100_000_000n, "USDC_BASE"),
        toCurrency: "EUR",
        customerId: null,
        quoteId: null,
        partnerReference: null,
        provider: { name: "fake", environment: "LIVE" },
        pair: { minimum: null, step: null },
        rate,
        defaultFees,
        currencies: defaultCurrencies
      })
    ),
  BANK_TRANSFER: (defaultFees: ReadonlyArray<FeeRule>) =>
    Effect.map(dollar(), (usd) => createTransfer(baseRequest({ usd, defaultFees })))
}

const unlimited = {
  payoutLimitUsd: null,
  payoutDailyLimitUsd: null,
  payoutNewAddressLimitUsd: null,
  payoutReviewUsd: null,
  withdrawalLimitUsd: "1000000"
}

const tenant = Effect.gen(function* () {
  const id = yield* payer(unlimited)
  yield* verified(id, "0xA")
  return id
})

/** Two percent, but at least a unit. */
const newRule = {
  product: null,
  currency: null,
  rail: null,
  percent: { units: 2n, decimals: 0 },
  minimumFee: { units: 1n, decimals: 0 },
  priority: 1,
  effectiveFrom: null
} as const

describe("a fee is that of the rules when it is committed", () => {
  for (const [product, ask] of Object.entries(asking)) {
    it.effect(`${product}: not that of a rule that came or went since it was prepared`, () =>
      Effect.gen(function* () {
        const id = yield* tenant
        const before = yield* ask([])
        const rule = yield* submit(id, addFeeRule(newRule))
        const charged = yield* submit(id, before)
        const hundred = charged.amount.units
        assert.deepStrictEqual(charged.customerFee, of((hundred * 2n) / 100n, charged.amount.currency))
        assert.strictEqual(charged.details.fee_rule, rule.id)
        const later = yield* ask([])
        yield* submit(id, retireFeeRule(rule.id))
        const free = yield* submit(id, later)
        assert.deepStrictEqual(free.customerFee, of(0n, charged.amount.currency))
        assert.isNull(free.details.fee_rule)
      }).pipe(Effect.provide(store))
    )
  }

  it.effect("a rule that makes a payout too dear since it was prepared has it refused, and holds nothing", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const { available } = yield* float(id)
      const command = createPayout(yield* request({ order: usdt({ units: available }), defaultFees: [] }))
      yield* submit(id, addFeeRule({ ...newRule, percent: { units: 0n, decimals: 0 } }))
      assert.strictEqual((yield* Effect.flip(submit(id, command)))._tag, "Refusal")
      assert.deepStrictEqual(yield* float(id), { available, held: 0n })
    }).pipe(Effect.provide(store))
  )
})

/** A rule of anything, for anything. */
const anyRule = (id: string): fc.Arbitrary<FeeRule> =>
  fc
    .record({
      product: fc.constantFrom(null, ...products),
      currency: fc.constantFrom(null, "USDT_ETH", "USDC_BASE"),
      rail: fc.constantFrom(null, "ethereum", "base"),
      percent: fc.record({ units: fc.bigInt(0n, 999n), decimals: fc.integer({ min: 0, max: 3 }) }),
      minimumFee: fc.record({ units: fc.bigInt(0n, 99n), decimals: fc.integer({ min: 0, max: 7 }) }),
      priority: fc.integer({ min: 0, max: 2 }),
      effectiveFrom: fc.constantFrom(0, 1e15)
    })
    .map((given) => flatFee(0n, 0, { ...given, id }))

const rules = (prefix: string) =>
  fc.tuple(...Array.from({ length: 4 }, (_, n) => anyRule(`${prefix}${n}`))).chain((all) => fc.subarray(all))

const stored = Effect.fnUntraced(function* (id: TenantId, defaults: ReadonlyArray<FeeRule>) {
  const queries = yield* Queries
  return { own: yield* queries.records(id, FeeRule), defaults, now: yield* Clock.currentTimeMillis }
})

/** Estimates a payout and a withdrawal, makes both, and holds what is charged against what was told. */
const estimated = Effect.fnUntraced(function* (
  own: ReadonlyArray<FeeRule>,
  defaults: ReadonlyArray<FeeRule>,
  units: bigint
) {
  const id = yield* tenant
  for (const { createdAt: _createdAt, id: _id, retiredAt: _retiredAt, ...rule } of own)
    yield* submit(id, addFeeRule(rule))
  const queries = yield* Queries
  const fees = yield* stored(id, defaults)
  const price = yield* dollar()
  const usd = new Map(["USDT_ETH", "USDC_BASE"].map((code) => [code, price]))
  const known = (yield* (yield* Tenants).byId(id)) ?? assert.fail("there is no tenant")
  const wallets = yield* queries.records(id, PayoutWallet, "ethereum")
  const common = { fees, usd, networkFee: null, currencies: defaultCurrencies }
  const telling = Effect.map(queries.record(id, Usage, payoutScope), (usage) =>
    estimatePayout({
      ...common,
      tenant: known,
      network: "ethereum",
      currency: currencyOf("USDT_ETH"),
      units,
      wallets,
      switchedOff: null,
      usage,
      native: currencyOf("ETH")
    })
  )
  const told = yield* telling
  const paid = yield* submit(id, createPayout(yield* request({ order: usdt({ units }), defaultFees: defaults })))
  assert.deepStrictEqual(paid.customerFee, told.fee)
  const used = (yield* telling).dailyUsed - told.dailyUsed
  assert.strictEqual(used, BigInt(String(paid.details.usd_cents)))

  const withdrawn = yield* submit(id, yield* asking.WITHDRAWAL(defaults))
  const { fee } = estimateWithdrawal({
    ...common,
    currency: currencyOf("USDC_BASE"),
    units: withdrawn.amount.units,
    network: "base",
    networkFeeBorneBy: "SERVICE"
  })
  assert.deepStrictEqual(withdrawn.customerFee, fee)
})

describe("an estimate", () => {
  it("is what is charged, whatever the rules and the amount", () =>
    fc.assert(
      fc.asyncProperty(rules("own"), rules("default"), fc.bigInt(1_000_000n, 500_000_000n), (own, defaults, units) =>
        Effect.runPromise(
          estimated(own, defaults, units).pipe(Effect.provide(store), Effect.provide(TestClock.layer()), Effect.scoped)
        )
      ),
      { numRuns: 100 }
    ))
})
