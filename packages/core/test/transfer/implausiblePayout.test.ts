import { of } from "@bursar/core/money/Amount"
import type { Rate } from "@bursar/core/money/Rate"
import type { Operation } from "@bursar/core/operation/Operation"
import { approveResolution } from "@bursar/core/resolution/resolutionCommands"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { balanceOf, float, hear, payer, propose, says, send, settledWith, store, submit, wrong } from "./world.ts"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"

/** What currencies are worth in cents: a USDC a dollar, and a euro as it is told. */
const worth = Effect.fnUntraced(function* (euro: bigint, source: "now" | "an hour ago" = "now") {
  const observedAt = (yield* Clock.currentTimeMillis) - (source === "now" ? 0 : 3_600_000)
  const rate = (cents: bigint): Rate => ({ price: { units: cents, decimals: 2 }, source: "test", observedAt })
  return new Map([
    ["USDC_BASE", rate(100n)],
    ["EUR", rate(euro)]
  ])
})

const amount = of(100_000_000n, "USDC_BASE")
const order = { kind: "OFF_RAMP", amount, toCurrency: "EUR" } as const
const paid = (cents: bigint) => says("SETTLED", { received: of(cents, "EUR") })

/** Two operators state that so much was paid out. */
const state = Effect.fnUntraced(function* (tenant: TenantId, operation: Operation, cents: bigint) {
  const resolution = yield* propose(tenant, operation, settledWith(cents, "EUR"))
  const approval = { resolution, operation, by: "ben", currencies: defaultCurrencies, proof: null }
  yield* submit(tenant, approveResolution(approval))
  return yield* (yield* Queries).operation(tenant, operation.id)
})

/** A quote for the order that promises so many cents. */
const quoteOf = Effect.fnUntraced(function* (tenant: TenantId, cents: bigint) {
  const observedAt = yield* Clock.currentTimeMillis
  const quote = yield* submit(
    tenant,
    createQuote({
      product: "OFF_RAMP",
      amount,
      toCurrency: "EUR",
      rate: { price: { units: cents, decimals: 4 }, source: "test", observedAt },
      networkFee: null,
      provider: "fake",
      customerId: null,
      rail: null,
      country: null,
      lifetimeMs: 60_000,
      defaultFees: [],
      currencies: defaultCurrencies
    })
  )
  return { ...order, quoteId: quote.id }
})

describe("a payout in another currency that no quote has priced", () => {
  it.effect("is settled on the provider's word where it is worth half of what was ordered to twice as much", () =>
    Effect.gen(function* () {
      for (const cents of [4_545n, 9_000n, 18_181n]) {
        const tenant = yield* payer()
        const { status, toAmount, unresolved } = yield* hear(
          tenant,
          yield* send(tenant, order),
          paid(cents),
          yield* worth(110n)
        )
        assert.deepStrictEqual([status, unresolved, toAmount], ["SETTLED", false, of(cents, "EUR")])
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is for somebody to look at where it is worth less; what was reserved stays reserved", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const sent = yield* send(tenant, order)
      const before = yield* float(tenant, "USDC_BASE")
      const { details, unresolved } = yield* hear(tenant, sent, paid(4_500n), yield* worth(110n))
      assert.isTrue(unresolved)
      assert.match(details.unresolved_because ?? "", /is worth 49.5 USD, and what was ordered 100 USD/u)
      assert.deepStrictEqual(yield* float(tenant, "USDC_BASE"), before)
      assert.strictEqual(yield* balanceOf(tenant, "bank", "EUR"), 100_000n)
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "is for somebody to look at where it is worth more, also where the rest came back; operators may state it",
    () =>
      Effect.gen(function* () {
        const usd = yield* worth(110n)
        const returned = of(1_000_000n, "USDC_BASE")
        for (const much of [paid(18_182n), says("RETURNED", { received: of(18_182n, "EUR"), returned })]) {
          const tenant = yield* payer()
          const sent = yield* send(tenant, order)
          const before = yield* float(tenant, "USDC_BASE")
          const open = yield* hear(tenant, sent, much, usd)
          assert.deepStrictEqual([open.status, open.unresolved, open.toAmount], [sent.status, true, null])
          assert.match(open.details.unresolved_because ?? "", /is worth 200.01 USD, and what was ordered 100 USD/u)
          assert.deepStrictEqual(yield* float(tenant, "USDC_BASE"), before)
          const after = yield* state(tenant, open, 18_182n)
          assert.deepStrictEqual([after?.status, after?.toAmount], ["SETTLED", of(18_182n, "EUR")])
          assert.deepStrictEqual(yield* wrong(tenant), [])
        }
      }).pipe(Effect.provide(store))
  )

  it.effect("waits for a fresh price that tells what it is worth, also where it was too little before", () =>
    Effect.gen(function* () {
      for (const unknown of [new Map<string, Rate>(), yield* worth(110n, "an hour ago")]) {
        const tenant = yield* payer()
        const sent = yield* send(tenant, order)
        const waiting = yield* hear(tenant, sent, paid(4_500n), unknown)
        assert.match(waiting.details.unresolved_because ?? "", /no fresh price of USDC_BASE is known/u)
        const little = yield* hear(tenant, waiting, paid(4_500n), yield* worth(110n))
        assert.match(little.details.unresolved_because ?? "", /is worth 49.5 USD/u)
        const again = yield* hear(tenant, little, paid(4_500n), unknown)
        assert.deepStrictEqual([again.status, again.unresolved], [sent.status, true])
        assert.strictEqual((yield* hear(tenant, again, paid(9_000n), yield* worth(110n))).status, "SETTLED")
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("is not taken for paid out because a part of it came back: what was paid out is judged all the same", () =>
    Effect.gen(function* () {
      const usd = yield* worth(110n)
      const back = of(1_000_000n, "USDC_BASE")
      for (const [first, untold] of [
        [paid(1n), /what was paid out is worth 0.02 USD/u],
        [says("PROCESSING"), /does not say how much was paid out/u]
      ] as const)
        for (const [told, why] of [
          [null, untold],
          [of(1n, "EUR"), /what was paid out is worth 0.02 USD/u]
        ] as const) {
          const tenant = yield* payer()
          const sent = yield* hear(tenant, yield* send(tenant, order), first, usd)
          const before = yield* float(tenant, "USDC_BASE")
          const open = yield* hear(tenant, sent, says("RETURNED", { received: told, returned: back }), usd)
          assert.deepStrictEqual([open.unresolved, open.toAmount], [true, null])
          assert.match(open.details.unresolved_because ?? "", why)
          assert.deepStrictEqual(yield* float(tenant, "USDC_BASE"), before)
          const { status, unresolved } = yield* hear(
            tenant,
            open,
            says("RETURNED", { received: of(9_000n, "EUR"), returned: back }),
            usd
          )
          assert.deepStrictEqual([status, unresolved], ["RETURNED", false])
        }
    }).pipe(Effect.provide(store))
  )

  it.effect("is judged by what is left of it where most of it came back", () =>
    Effect.gen(function* () {
      const usd = yield* worth(110n)
      const back = (received: bigint) =>
        says("RETURNED", { received: of(received, "EUR"), returned: of(60_000_000n, "USDC_BASE") })
      for (const cents of [1_819n, 3_600n]) {
        const tenant = yield* payer()
        const { status, unresolved } = yield* hear(tenant, yield* send(tenant, order), back(cents), usd)
        assert.deepStrictEqual([status, unresolved], ["RETURNED", false])
      }
      const tenant = yield* payer()
      const { details, unresolved } = yield* hear(tenant, yield* send(tenant, order), back(1_800n), usd)
      assert.isTrue(unresolved)
      assert.match(
        details.unresolved_because ?? "",
        /is worth 19.8 USD, and what did not come back of what was ordered 40 USD/u
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("is judged by what was told before where a part of it comes back, once prices are known", () =>
    Effect.gen(function* () {
      const tenant = yield* payer()
      const back = says("RETURNED", { received: null, returned: of(1_000_000n, "USDC_BASE") })
      const waiting = yield* hear(tenant, yield* send(tenant, order), paid(9_000n), new Map())
      assert.isTrue((yield* hear(tenant, waiting, back, new Map())).unresolved)
      const { status, unresolved } = yield* hear(tenant, waiting, back, yield* worth(110n))
      assert.deepStrictEqual([status, unresolved], ["RETURNED", false])
      const unpriced = yield* payer()
      const sent = yield* send(unpriced, order)
      assert.strictEqual((yield* hear(unpriced, sent, back)).status, "RETURNED", "nobody can be asked for prices")
    }).pipe(Effect.provide(store))
  )

  it.effect("is judged by what was told last, and not by more that was told before", () =>
    Effect.gen(function* () {
      const usd = yield* worth(110n)
      const tenant = yield* payer()
      const back = (received: bigint | null) =>
        says("RETURNED", {
          received: received === null ? null : of(received, "EUR"),
          returned: of(1_000_000n, "USDC_BASE")
        })
      const waiting = yield* hear(tenant, yield* send(tenant, order), paid(9_000n), new Map())
      const open = yield* hear(tenant, waiting, back(1n), usd)
      const { details, unresolved } = yield* hear(tenant, open, back(null), usd)
      assert.isTrue(unresolved)
      assert.match(details.unresolved_because ?? "", /what was paid out is worth 0.02 USD/u)
    }).pipe(Effect.provide(store))
  )

  it.effect("is not judged where nobody can be asked for prices, nor where a quote has promised the least", () =>
    Effect.gen(function* () {
      const unpriced = yield* payer()
      assert.strictEqual((yield* hear(unpriced, yield* send(unpriced, order), paid(1n))).status, "SETTLED")
      const tenant = yield* payer()
      const quoted = yield* send(tenant, yield* quoteOf(tenant, 100n))
      assert.isFalse((yield* hear(tenant, quoted, paid(100n), yield* worth(110n))).unresolved)
    }).pipe(Effect.provide(store))
  )
})

describe("a payout of far more than was to be paid", () => {
  const sameCurrency = { kind: "OFF_RAMP", amount: of(10_000n, "EUR"), toCurrency: "EUR" } as const
  for (const [what, requestOf] of [
    ["its quote promised", (tenant: TenantId) => quoteOf(tenant, 10_000n)],
    ["was ordered, in one currency", () => Effect.succeed(sameCurrency)]
  ] as const)
    it.effect(`is settled up to twice what ${what}, and more is for operators to state`, () =>
      Effect.gen(function* () {
        const tenant = yield* payer()
        const twice = yield* hear(tenant, yield* send(tenant, yield* requestOf(tenant)), paid(20_000n))
        assert.deepStrictEqual([twice.status, twice.toAmount], ["SETTLED", of(20_000n, "EUR")])
        const sent = yield* send(tenant, yield* requestOf(tenant))
        const part = of(sent.amount.units / 100n, sent.amount.currency)
        const rest = says("RETURNED", { received: of(20_001n, "EUR"), returned: part })
        for (const much of [rest, paid(20_001n)]) {
          const open = yield* hear(tenant, sent, much)
          assert.deepStrictEqual([open.status, open.unresolved, open.toAmount], [sent.status, true, null])
          assert.match(open.details.unresolved_because ?? "", /200.01 EUR was paid out where no more than 200 EUR/u)
        }
        const open = yield* hear(tenant, sent, paid(20_001n))
        assert.strictEqual((yield* state(tenant, open, 20_001n))?.status, "SETTLED")
        assert.deepStrictEqual(yield* wrong(tenant), [])
      }).pipe(Effect.provide(store))
    )
})
