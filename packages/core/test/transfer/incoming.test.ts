import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { unknown } from "@bursar/core/port/ProviderResult"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { balanceOf, eventsOf, float, hear, payer, says, send, sender, store, submit, told, wrong } from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

const onRamp = { kind: "ON_RAMP", payee: null } as const

/** An ON_RAMP that used a quote of an amount, one percent; by then the rule may charge another. */
const quoted = Effect.fnUntraced(function* (tenant: TenantId, units: bigint, percentByThen = 1n) {
  const amount = of(units, "EUR")
  const { id } = yield* submit(
    tenant,
    createQuote({
      product: "ON_RAMP",
      amount,
      toCurrency: "EUR",
      customerId: null,
      rail: null,
      country: null,
      provider: "fake",
      rate: null,
      networkFee: null,
      lifetimeMs: 60_000,
      defaultFees: [],
      currencies: defaultCurrencies
    })
  )
  yield* submit(
    tenant,
    addFeeRule({
      product: "ON_RAMP",
      currency: null,
      rail: null,
      percent: { units: percentByThen, decimals: 0 },
      minimumFee: { units: 0n, decimals: 0 },
      priority: 0,
      effectiveFrom: null
    })
  )
  return yield* send(tenant, { ...onRamp, amount, quoteId: id })
})

const arrives = (units: bigint, currency = "EUR") => says("SETTLED", { received: of(units, currency), sender })

describe("what arrives for an ON_RAMP", () => {
  for (const [what, announced, came, fee] of [
    ["a cent where 10,000 was quoted, which the fee would take whole, credits nothing", 1_000_000n, 1n, null],
    ["two cents where 10,000 was quoted credit what the fee leaves of them", 1_000_000n, 2n, 1n],
    ["10,000 where 100 was quoted pays the fee of 10,000 and no more", 10_000n, 1_000_000n, 10_000n],
    ["what was quoted pays what was quoted", 10_000n, 10_000n, 100n]
  ] as const)
    for (const withQuote of [true, false])
      it.effect(`${what}, ${withQuote ? "with" : "and without"} a quote`, () =>
        run(
          Effect.gen(function* () {
            const tenant = yield* payer()
            const bank = yield* balanceOf(tenant, "bank")
            const operation = withQuote
              ? yield* quoted(tenant, announced)
              : yield* send(tenant, { ...onRamp, amount: of(announced, "EUR") })
            const after = yield* hear(tenant, operation, arrives(came))
            assert.strictEqual((yield* balanceOf(tenant, "bank")) - bank, came, "all of it is at the bank")
            assert.strictEqual(yield* balanceOf(tenant, "fees"), fee ?? 0n)
            assert.deepStrictEqual(yield* float(tenant), [100_000n + (fee === null ? 0n : came - fee), 0n])
            assert.strictEqual(yield* balanceOf(tenant, "suspense"), fee === null ? -came : 0n)
            assert.deepStrictEqual(
              [after.status, after.unresolved],
              fee === null ? ["AWAITING_FUNDS", true] : ["SETTLED", false]
            )
            if (fee !== null) {
              assert.deepStrictEqual([after.toAmount, after.customerFee], [of(came, "EUR"), of(fee, "EUR")])
              assert.strictEqual(typeof after.details.repriced_because, came === announced ? "undefined" : "string")
              const [event] = yield* told(tenant, operation)
              const amount = { amount: event?.data["amount"], currency: event?.data["currency"] }
              const decimal = `${came / 100n}.${String(came % 100n).padStart(2, "0")}`.replace(/\.?0+$/u, "")
              assert.deepStrictEqual(amount, { amount: decimal, currency: "EUR" }, "the event tells what came")
            }
            assert.deepStrictEqual(yield* wrong(tenant), [])
          })
        )
      )

  it.effect("and is not what was quoted pays by the rule that was quoted, whatever the rules charge by now", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const less = yield* hear(tenant, yield* quoted(tenant, 10_000n, 50n), arrives(9_000n))
        assert.deepStrictEqual(less.customerFee, of(90n, "EUR"))
        const more = yield* hear(tenant, yield* quoted(tenant, 10_000n, 50n), arrives(20_000n))
        assert.deepStrictEqual(more.customerFee, of(10_000n, "EUR"))
        assert.deepStrictEqual(yield* float(tenant), [118_910n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("in another currency stands in suspense, in that currency, for somebody to look at", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, onRamp)
        for (let times = 0; times < 2; times += 1) {
          const after = yield* hear(tenant, operation, arrives(10_000n, "USD"))
          assert.deepStrictEqual([after.status, after.unresolved], ["AWAITING_FUNDS", true])
          assert.strictEqual(after.details.reason, "100 USD arrived where EUR was to come")
        }
        assert.strictEqual(yield* balanceOf(tenant, "suspense", "USD"), -10_000n, "once")
        assert.strictEqual(yield* balanceOf(tenant, "bank", "USD"), 10_000n)
        assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["transfer.unresolved"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect(
    "and stands in suspense is not credited by anything the provider says later, and leaves when it went back",
    () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const operation = yield* send(tenant, onRamp)
          yield* hear(tenant, operation, arrives(10_000n, "USD"))
          for (const answer of [arrives(10_000n), says("FAILED"), says("SENT"), unknown("503"), arrives(5n, "USD")]) {
            const after = yield* hear(tenant, operation, answer)
            assert.deepStrictEqual([after.status, after.unresolved], ["AWAITING_FUNDS", true])
          }
          assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
          yield* hear(tenant, operation, says("RETURNED", { returned: of(4_000n, "USD") }))
          assert.strictEqual(yield* balanceOf(tenant, "suspense", "USD"), -6_000n)
          yield* hear(tenant, operation, says("RETURNED", { returned: of(10_000n, "USD") }))
          assert.strictEqual(yield* balanceOf(tenant, "suspense", "USD"), 0n)
          assert.strictEqual(yield* balanceOf(tenant, "bank", "USD"), 0n)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
  )

  it.effect("is not known where it is not told or zero, whatever was quoted, and is credited once it is told", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* quoted(tenant, 10_000n)
        for (const received of [null, of(0n, "EUR")]) {
          const after = yield* hear(tenant, operation, says("SETTLED", { received }))
          assert.deepStrictEqual([after.status, after.unresolved], ["AWAITING_FUNDS", true])
        }
        const denied = yield* hear(tenant, operation, says("FAILED"))
        assert.deepStrictEqual([denied.status, denied.unresolved], ["AWAITING_FUNDS", true], "it had said that it came")
        assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
        const after = yield* hear(tenant, operation, arrives(10_000n))
        assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", false])
        assert.deepStrictEqual(yield* float(tenant), [109_900n, 0n])
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["transfer.unresolved", "transfer.settled"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})

describe("what is paid out", () => {
  const usdc = of(10_000_000n, "USDC_BASE")

  /** An OFF_RAMP whose quote promises 90 EUR, and no less than 85.50. */
  const offRamp = Effect.fnUntraced(function* (tenant: TenantId) {
    const amount = usdc
    const { id } = yield* submit(
      tenant,
      createQuote({
        product: "OFF_RAMP",
        amount,
        toCurrency: "EUR",
        customerId: null,
        rail: null,
        country: null,
        provider: "fake",
        rate: { price: { units: 9n, decimals: 0 }, source: "test", observedAt: 0 },
        networkFee: null,
        lifetimeMs: 60_000,
        defaultFees: [],
        currencies: defaultCurrencies
      })
    )
    return yield* send(tenant, { kind: "OFF_RAMP", amount, quoteId: id })
  })

  it.effect("of an OFF_RAMP is no less than its quote's floor, or nothing is settled", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* offRamp(tenant)
        const before = yield* float(tenant, "USDC_BASE")
        for (const received of [of(100n, "EUR"), of(8_999n, "EUR"), of(9_000n, "GBP"), of(0n, "EUR"), null]) {
          const after = yield* hear(tenant, operation, says("SETTLED", { received }))
          assert.deepStrictEqual([after.status, after.unresolved], ["ACCEPTED", true])
        }
        for (const answer of [says("SENT"), says("FAILED")])
          assert.isTrue((yield* hear(tenant, operation, answer)).unresolved, "what was told stays told")
        assert.deepStrictEqual(yield* float(tenant, "USDC_BASE"), before, "what it holds stays held")
        const after = yield* hear(tenant, operation, says("SETTLED", { received: of(9_000n, "EUR") }))
        assert.deepStrictEqual([after.status, after.unresolved, after.toAmount], ["SETTLED", false, of(9_000n, "EUR")])
        assert.deepStrictEqual(yield* eventsOf(tenant, operation), ["payout.unresolved", "payout.settled"])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("of an OFF_RAMP in one currency without a quote is no less than its amount", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant, { kind: "OFF_RAMP" })
        assert.isTrue((yield* hear(tenant, operation, says("SETTLED", { received: of(9_999n, "EUR") }))).unresolved)
        assert.strictEqual((yield* hear(tenant, operation, says("SETTLED"))).status, "SETTLED")
      })
    )
  )

  it.effect("of a BANK_TRANSFER is its amount, neither less nor more, or nothing is settled", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        for (const units of [1n, 9_999n, 10_001n]) {
          const operation = yield* send(tenant)
          const after = yield* hear(tenant, operation, says("SETTLED", { received: of(units, "EUR") }))
          assert.deepStrictEqual([after.status, after.unresolved], ["ACCEPTED", true])
          assert.match(String(after.details.unresolved_because), /was paid out of 100 EUR/u)
        }
        assert.deepStrictEqual(yield* float(tenant), [69_700n, 30_300n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("and settled is not what the provider says later, if that is another amount", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const operation = yield* send(tenant)
        yield* hear(tenant, operation, says("SETTLED"))
        const after = yield* hear(tenant, operation, says("SETTLED", { received: of(1n, "EUR") }))
        assert.deepStrictEqual([after.status, after.unresolved], ["SETTLED", true])
        assert.isFalse((yield* hear(tenant, operation, says("SETTLED"))).unresolved)
        assert.deepStrictEqual(yield* float(tenant), [89_900n, 0n])
      })
    )
  )
})
