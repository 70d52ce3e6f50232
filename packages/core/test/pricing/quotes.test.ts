import { readRecord } from "@bursar/core/engine/Records"
import { type Amount, of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { createQuote, par, type QuoteRequest } from "@bursar/core/pricing/createQuote"
import { addFeeRule, retireFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { floorOf } from "@bursar/core/pricing/floorOf"
import { products } from "@bursar/core/pricing/Product"
import { Quote } from "@bursar/core/pricing/Quote"
import { type QuoteUse, useQuote } from "@bursar/core/pricing/useQuote"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { accept, bought, sold } from "../swap/world.ts"
import { refusalOf, store, submit } from "../transfer/world.ts"
import { dollar, verified, withdraw, withdrawer } from "../withdrawal/world.ts"

const lifetimeMs = 60_000

/** 100 USDC to euros at 0.9 euros for each. */
const request = Effect.fnUntraced(function* (more: Partial<QuoteRequest> = {}) {
  const observedAt = yield* Clock.currentTimeMillis
  return createQuote({
    product: "OFF_RAMP",
    amount: of(100_000_000n, "USDC_BASE"),
    toCurrency: "EUR",
    customerId: null,
    rail: "sepa",
    country: "PT",
    provider: "fake",
    rate: { price: { units: 9n, decimals: 1 }, source: "market", observedAt },
    networkFee: null,
    lifetimeMs,
    defaultFees: [],
    currencies: defaultCurrencies,
    ...more
  })
})

/** A tenant that may send a single unit. */
const tenant = (slippageBps = 0) =>
  Effect.map(
    newTenant({ policy: { ...defaultPolicy, slippageBps, payoutMinimums: { USDC_BASE: "0.000001" } } }),
    ({ id }) => id
  )

describe("a quote", () => {
  it.effect("holds the price, the fee and what is received for a while", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      yield* TestClock.adjust("1 hour")
      const now = yield* Clock.currentTimeMillis
      const fee = flatFee(1n, 0)
      const { id: customerId } = yield* newCustomer(id)
      const quote = yield* submit(id, yield* request({ defaultFees: [fee], customerId }))
      assert.deepStrictEqual(quote, {
        id: quote.id,
        product: "OFF_RAMP",
        amount: of(100_000_000n, "USDC_BASE"),
        customerFee: of(1_000_000n, "USDC_BASE"),
        amountReceived: of(9_000n, "EUR"),
        bindingFloor: of(9_000n, "EUR"),
        exchangeRate: { units: 9n, decimals: 1 },
        rateSource: "market",
        rateObservedAt: now,
        provider: "fake",
        ruleId: fee.id,
        customerId,
        rail: "sepa",
        country: "PT",
        createdAt: now,
        expiresAt: now + lifetimeMs,
        usedBy: null
      })
      assert.deepStrictEqual(yield* (yield* Queries).record(id, Quote, quote.id), quote)
    }).pipe(Effect.provide(store))
  )

  it.effect("promises no more than the amount comes to: what is less than a unit is the service's", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const received = (units: bigint, networkFee: Amount | null = null) =>
        Effect.flatMap(request({ amount: of(units, "USDC_BASE"), networkFee }), (command) =>
          Effect.map(submit(id, command), ({ amountReceived }) => amountReceived.units)
        )
      assert.strictEqual(yield* received(1_000_000n), 90n)
      assert.strictEqual(yield* received(1_011_000n), 90n)
      assert.strictEqual(yield* received(1_011_111n), 90n)
      assert.strictEqual(yield* received(1_011_112n), 91n)
      // the receiver bears what the network takes
      assert.strictEqual(yield* received(1_000_000n, of(89n, "EUR")), 1n)
      for (const fee of [90n, 91n])
        assert.strictEqual(
          yield* refusalOf(id, yield* request({ amount: of(1_000_000n, "USDC_BASE"), networkFee: of(fee, "EUR") })),
          "below_minimum"
        )
      assert.strictEqual(yield* refusalOf(id, yield* request({ amount: of(1n, "USDC_BASE") })), "below_minimum")
    }).pipe(Effect.provide(store))
  )

  it.effect("may be missed by as much as the tenant has agreed to, and by no unit more", () =>
    Effect.gen(function* () {
      for (const [bps, floor] of [
        [0, 9_000n],
        [1, 9_000n],
        [2, 8_999n],
        [50, 8_955n],
        [10_000, 0n]
      ] as const) {
        const quote = yield* submit(yield* tenant(bps), yield* request())
        assert.deepStrictEqual([quote.amountReceived.units, quote.bindingFloor], [9_000n, of(floor, "EUR")])
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("of what is not converted is at par, whatever the market says, and names no source", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const same = { amount: of(5_000n, "EUR"), toCurrency: "EUR" }
      for (const more of [same, { ...same, rate: null }]) {
        const quote = yield* submit(id, yield* request(more))
        assert.deepInclude(quote, {
          amountReceived: of(5_000n, "EUR"),
          exchangeRate: par.price,
          rateSource: null,
          rateObservedAt: null
        })
        assert.isNull(quote.ruleId)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused for currencies that nobody knows and without a price", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const refused = (more: Partial<QuoteRequest>) =>
        Effect.flatMap(request(more), (command) => refusalOf(id, command))
      assert.strictEqual(yield* refused({ amount: of(1n, "XXX") }), "unsupported_asset")
      assert.strictEqual(yield* refused({ toCurrency: "XXX" }), "unsupported_asset")
      assert.strictEqual(yield* refused({ amount: of(1n, "XXX"), toCurrency: "XXX" }), "unsupported_asset")
      assert.strictEqual(yield* refused({ rate: null }), "price_unavailable")
    }).pipe(Effect.provide(store))
  )
})

describe("a quote of what can never be made is refused as the operation would be", () => {
  const coins = { amount: of(5_000_000n, sold), toCurrency: sold, rate: null }
  const euros = { amount: of(10_000n, "EUR"), toCurrency: "EUR", rate: null }
  const pair = { minimum: of(1_000_000n, sold), step: of(500_000n, sold) }
  const swap = { product: "SWAP", amount: of(5_000_000n, sold), toCurrency: bought, pair } as const
  const nobody = "00000000-0000-7000-8000-00000000dead"
  it.effect.each<readonly [string, string | null, Partial<QuoteRequest>]>([
    ["fiat by a chain payout", "unsupported_asset", { ...euros, product: "CHAIN_PAYOUT" }],
    ["fiat by a withdrawal", "unsupported_asset", { ...euros, product: "WITHDRAWAL" }],
    [
      "another currency by a chain payout",
      "pair_unavailable",
      { ...coins, product: "CHAIN_PAYOUT", toCurrency: bought }
    ],
    ["another currency by a withdrawal", "pair_unavailable", { ...coins, product: "WITHDRAWAL", toCurrency: "EUR" }],
    ["coins by a bank transfer", "unsupported_asset", { ...coins, product: "BANK_TRANSFER" }],
    ["coins to a bank", "unsupported_asset", { ...coins, product: "OFF_RAMP" }],
    ["other fiat by a bank transfer", "pair_unavailable", { ...euros, product: "BANK_TRANSFER", toCurrency: "GBP" }],
    ["other fiat by an ON_RAMP", "pair_unavailable", { ...euros, product: "ON_RAMP", toCurrency: "GBP" }],
    ["what the custodian does not convert", "pair_unavailable", { ...swap, pair: null }],
    ["what no custodian is asked of", "pair_unavailable", { ...coins, product: "SWAP", toCurrency: bought }],
    ["a currency to itself", "pair_unavailable", { ...swap, toCurrency: sold }],
    ["less than the custodian converts", "below_minimum", { ...swap, amount: of(500_000n, sold) }],
    ["what is no multiple of its step", "amount_too_precise", { ...swap, amount: of(1_000_001n, sold) }],
    ["the least that the custodian converts", null, { ...swap, amount: of(1_000_000n, sold) }],
    ["a multiple of its step", null, { ...swap, amount: of(1_500_000n, sold) }],
    ["less than is sent", "below_minimum", { ...coins, product: "WITHDRAWAL", amount: of(1n, sold) }],
    ["less than is sent to a bank", "below_minimum", { ...euros, product: "BANK_TRANSFER", amount: of(1n, "EUR") }],
    [
      "an arrival that its fee would take",
      "below_minimum",
      { ...euros, product: "ON_RAMP", defaultFees: [flatFee(10_000n, 2)] }
    ],
    ["an arrival that leaves a cent", null, { ...euros, product: "ON_RAMP", defaultFees: [flatFee(9_999n, 2)] }],
    ["a swap of a customer that is none", "not_found", { ...swap, customerId: nobody }],
    ["a transfer of a customer that is none", "not_found", { ...euros, product: "BANK_TRANSFER", customerId: nobody }]
  ])("%s (%s)", ([, code, more]) =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const command = yield* request({ rate: yield* dollar(), ...more })
      assert.strictEqual(yield* refusalOf(id, command), code)
    }).pipe(Effect.provide(store))
  )

  it.effect("a swap of another's customer, and of one that may not", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const other = yield* newCustomer(yield* tenant())
      const unchecked = yield* newCustomer(id, { check: null })
      const approved = yield* newCustomer(id)
      for (const [customerId, code] of [
        [other.id, "not_found"],
        [unchecked.id, "customer_not_verified"],
        [approved.id, null]
      ] as const)
        assert.strictEqual(yield* refusalOf(id, yield* request({ ...swap, rate: yield* dollar(), customerId })), code)
      // a transfer may be the tenant's own: whether the customer may is asked when it is made
      const own = { ...euros, product: "BANK_TRANSFER", customerId: unchecked.id } as const
      assert.isNull(yield* refusalOf(id, yield* request(own)))
    }).pipe(Effect.provide(store))
  )

  it.effect("what another environment's network sends", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ kind: "SANDBOX" })
      for (const product of ["CHAIN_PAYOUT", "WITHDRAWAL"] as const)
        assert.strictEqual(yield* refusalOf(id, yield* request({ ...coins, product })), "product_not_enabled")
    }).pipe(Effect.provide(store))
  )
})

describe("a quote of a withdrawal", () => {
  it.effect(
    "promises what is left of the amount, and is taken by no operation: it binds nobody to what the network takes",
    () =>
      Effect.gen(function* () {
        const id = yield* withdrawer()
        const amount = of(5_000_000n, sold)
        const networkFee = of(200_000n, sold)
        const quote = yield* submit(id, yield* request({ product: "WITHDRAWAL", amount, toCurrency: sold, networkFee }))
        assert.deepStrictEqual([quote.amountReceived, quote.bindingFloor], [of(4_800_000n, sold), of(4_800_000n, sold)])
        for (const product of products.filter((one) => one !== "WITHDRAWAL")) {
          const use = {
            quoteId: quote.id,
            product,
            amount,
            toCurrency: sold,
            customerId: null,
            operationId: "operation"
          }
          assert.strictEqual(yield* refusalOf(id, using(use)), "quote_mismatch", product)
        }
        yield* verified(id, "0x00000000000000000000000000000000000000A1")
        const made = yield* withdraw(id, amount.units)
        if (typeof made === "string") return assert.fail(made)
        assert.isUndefined(floorOf(made))
      }).pipe(Effect.provide(store))
  )
})

/** Uses a quote, as the command of an operation does. */
const using = (use: QuoteUse) => ({
  name: "Using",
  reads: [readRecord(Quote, use.quoteId)],
  decide: (view: Parameters<typeof useQuote>[0]) =>
    Result.map(useQuote(view, use), ({ change, quote }) => ({ changes: [change], reply: quote }))
})

const made = Effect.fnUntraced(function* (id: TenantId, more: Partial<QuoteRequest> = {}) {
  const quote = yield* submit(id, yield* request(more))
  const use: QuoteUse = {
    quoteId: quote.id,
    product: "OFF_RAMP",
    amount: of(100_000_000n, "USDC_BASE"),
    toCurrency: "EUR",
    customerId: quote.customerId,
    rail: "sepa",
    operationId: "operation"
  }
  return { quote, use }
})

describe("a quote is used", () => {
  it.effect("once", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const { quote, use } = yield* made(id)
      assert.deepStrictEqual(yield* submit(id, using(use)), quote)
      assert.strictEqual((yield* (yield* Queries).record(id, Quote, quote.id))?.usedBy, "operation")
      for (const operationId of ["operation", "another"])
        assert.strictEqual(yield* refusalOf(id, using({ ...use, operationId })), "quote_already_used")
    }).pipe(Effect.provide(store))
  )

  it.effect("by its tenant alone", () =>
    Effect.gen(function* () {
      const { use } = yield* made(yield* tenant())
      assert.strictEqual(yield* refusalOf(yield* tenant(), using(use)), "not_found")
    }).pipe(Effect.provide(store))
  )

  it.effect.each([
    [lifetimeMs - 1, null],
    [lifetimeMs, "quote_expired"]
  ] as const)("before its time is over: after %s", ([ms, refusal]) =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const { use } = yield* made(id)
      yield* TestClock.adjust(ms)
      assert.strictEqual(yield* refusalOf(id, using(use)), refusal)
    }).pipe(Effect.provide(store))
  )

  it.effect("for what was quoted and nothing else", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const { use } = yield* made(id, { customerId: (yield* newCustomer(id)).id })
      const others: ReadonlyArray<Partial<QuoteUse>> = [
        { product: "SWAP" },
        { amount: of(100_000_001n, "USDC_BASE") },
        { amount: of(99_999_999n, "USDC_BASE") },
        { amount: of(100_000_000n, "USDT_ETH") },
        { toCurrency: "USD" },
        { customerId: null },
        { customerId: "d" },
        { rail: null },
        { rail: "swift" }
      ]
      for (const other of others)
        assert.strictEqual(
          yield* refusalOf(id, using({ ...use, ...other })),
          "quote_mismatch",
          JSON.stringify(Object.keys(other))
        )
      assert.isNull(yield* refusalOf(id, using(use)))
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "for any customer where it names none, and where the operation has no rail or says nothing of what is received",
    () =>
      Effect.gen(function* () {
        const id = yield* tenant()
        const anyone = yield* made(id)
        assert.isNull(yield* refusalOf(id, using({ ...anyone.use, customerId: "c" })))
        const { use } = yield* made(id)
        const { rail: _, ...railless } = use
        assert.isNull(yield* refusalOf(id, using({ ...railless, toCurrency: undefined })))
      }).pipe(Effect.provide(store))
  )
})

describe("the floor of an operation", () => {
  it.effect("is that of the quote that it used, and none without a quote", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ slippageBps: 100 })
      const quoted = yield* accept(id, 10_000n, true)
      assert.deepStrictEqual(floorOf(quoted), of(9_900n, bought))
      assert.isUndefined(floorOf(yield* accept(id, 10_000n, false)))
      assert.isUndefined(floorOf({ ...quoted, toAmountQuoted: null }))
      assert.strictEqual(quoted.amount.currency, sold)
    }).pipe(Effect.provide(store))
  )
})

describe("a rule of fees", () => {
  const rule = {
    product: null,
    currency: null,
    rail: null,
    percent: { units: 1n, decimals: 0 },
    minimumFee: { units: 0n, decimals: 0 },
    priority: 1
  }

  it.effect("is in force at once, or from when it says", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      yield* TestClock.adjust("1 hour")
      const now = yield* Clock.currentTimeMillis
      assert.strictEqual((yield* submit(id, addFeeRule({ ...rule, effectiveFrom: null }))).effectiveFrom, now)
      for (const effectiveFrom of [0, now + 5])
        assert.strictEqual((yield* submit(id, addFeeRule({ ...rule, effectiveFrom }))).effectiveFrom, effectiveFrom)
    }).pipe(Effect.provide(store))
  )

  it.effect("is taken back once, by its tenant's operators", () =>
    Effect.gen(function* () {
      const id = yield* tenant()
      const { id: ruleId } = yield* submit(id, addFeeRule({ ...rule, effectiveFrom: null }))
      assert.strictEqual(yield* refusalOf(yield* tenant(), retireFeeRule(ruleId)), "not_found")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* submit(id, retireFeeRule(ruleId))).retiredAt, yield* Clock.currentTimeMillis)
      assert.strictEqual(yield* refusalOf(id, retireFeeRule(ruleId)), "state_conflict")
    }).pipe(Effect.provide(store))
  )
})

it("a quote is of no more than the price comes to, whatever the amount and the slippage", () => {
  const decimal = fc.record({ units: fc.bigInt(1n, 10n ** 6n), decimals: fc.integer({ min: 0, max: 6 }) })
  return fc.assert(
    fc.asyncProperty(
      fc.bigInt(1n, 10n ** 10n),
      decimal,
      fc.integer({ min: 0, max: 10_000 }),
      (units, price, slippageBps) =>
        Effect.runPromise(
          Effect.gen(function* () {
            const id = yield* tenant(slippageBps)
            const command = yield* request({
              amount: of(units, "USDC_BASE"),
              rate: { price, source: "m", observedAt: 0 }
            })
            const quote = yield* Effect.catchTag(submit(id, command), "Refusal", () => Effect.succeed(null))
            // 100 cents in a euro, a million units in a coin
            const [worth, whole] = [units * price.units * 100n, 10n ** 6n * 10n ** BigInt(price.decimals)]
            if (quote === null) return assert.isTrue(worth < whole, "less than a cent")
            const received = quote.amountReceived.units
            assert.isTrue(received * whole <= worth && worth < (received + 1n) * whole)
            const missed = received - quote.bindingFloor.units
            assert.isTrue(missed >= 0n && missed * 10_000n <= received * BigInt(slippageBps))
          }).pipe(Effect.provide(store), Effect.provide(TestClock.layer()), Effect.scoped)
        )
    ),
    { numRuns: 30 }
  )
})
