import { custodianQueue } from "@bursar/core/custody/CustodyStep"
import { schedule } from "@bursar/core/engine/Job"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { priceAgeMsMax } from "@bursar/core/money/freshPrice"
import { JobQueue } from "@bursar/core/port/JobQueue"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import { Queries } from "@bursar/core/store/Queries"
import { createSwap, type SwapRequest } from "@bursar/core/swap/createSwap"
import { creditedOf, recordSwap } from "@bursar/core/swap/recordSwap"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { newCustomer } from "@bursar/testkit/fixtures/customers"
import { approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { flatFee, percentRule } from "@bursar/testkit/fixtures/fees"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { balanceOf, eventsOf } from "../transfer/world.ts"
import { dollar, keyed, store, submit, withdrawer, wrong } from "../withdrawal/world.ts"
import { accept, bought, says, sent, sold } from "./world.ts"

const [all, units] = [1_000_000_000_000n, 10_000n]

const swap = Effect.fnUntraced(function* (id: TenantId, more: Partial<SwapRequest> = {}) {
  const command = createSwap({
    amount: of(units, sold),
    toCurrency: bought,
    customerId: null,
    quoteId: null,
    partnerReference: null,
    provider: { name: "fake", environment: "LIVE" },
    madeBy: "maker",
    pair: { minimum: null, step: null },
    rate: yield* dollar(),
    defaultFees: [],
    currencies: defaultCurrencies,
    ...more
  })
  return yield* keyed(id, command, "POST /v1/swaps")
})

const balances = Effect.fnUntraced(function* (id: TenantId, currency: string) {
  const units = (account: string) => balanceOf(id, account, currency)
  return {
    free: yield* units("float:available"),
    exchange: yield* units("exchange"),
    fees: yield* units("fees"),
    custodian: yield* units("custodian")
  }
})

const untouched = { free: all, exchange: 0n, fees: 0n, custodian: all }
const nothing = { free: 0n, exchange: 0n, fees: 0n, custodian: 0n }

describe("a swap", () => {
  it.effect.each<readonly [string, string, Partial<SwapRequest>]>([
    ["another environment's custodian", "product_not_enabled", { provider: { name: "fake", environment: "SANDBOX" } }],
    ["a currency that nobody knows", "unsupported_asset", { amount: of(units, "XXX") }],
    ["something for a currency that nobody knows", "unsupported_asset", { toCurrency: "XXX" }],
    ["a currency for itself", "pair_unavailable", { toCurrency: sold }],
    ["what the custodian does not convert", "pair_unavailable", { pair: null }],
    ["less than the custodian takes", "below_minimum", { pair: { minimum: of(units + 1n, sold), step: null } }],
    [
      "what is between the least that the custodian takes and its next step",
      "below_minimum",
      { pair: { minimum: of(units - 1n, sold), step: of(4_000n, sold) } }
    ],
    ["what is no step", "amount_too_precise", { pair: { minimum: null, step: of(3_000n, sold) } }],
    ["what nobody knows the customer of", "not_found", { customerId: "nobody" }],
    ["what nobody knows the quote of", "not_found", { quoteId: "none" }],
    ["what has no price", "price_unavailable", { rate: null }],
    ["what comes to nothing", "below_minimum", { amount: of(1n, sold), toCurrency: "EUR" }],
    ["more than there is", "insufficient_balance", { amount: of(all + 1n, sold) }],
    [
      "all that there is, with a fee on top",
      "insufficient_balance",
      { amount: of(all, sold), defaultFees: [flatFee(1n, 6)] }
    ]
  ])("of %s is refused as %s, and takes nothing", ([, code, more]) =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      assert.strictEqual(yield* swap(id, more), code)
      assert.deepStrictEqual(yield* balances(id, sold), untouched)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect.each<readonly [string, Partial<SwapRequest>]>([
    ["the least that the custodian takes", { pair: { minimum: of(units, sold), step: null } }],
    ["the first step over that", { pair: { minimum: of(units - 1n, sold), step: of(2_500n, sold) } }],
    ["a step that is the least", { pair: { minimum: of(units, sold), step: of(2_500n, sold) } }],
    ["a multiple of a step", { pair: { minimum: null, step: of(2_500n, sold) } }],
    ["all that there is", { amount: of(all, sold) }],
    ["what comes to one unit", { amount: of(10_000n, sold), toCurrency: "EUR" }]
  ])("of %s is accepted", ([, more]) =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      assert.notStrictEqual(typeof (yield* swap(id, more)), "string")
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("leaves the balance at once with its fee, and goes to the custodian", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const rule = flatFee(700n, 6, { product: "SWAP", currency: sold })
      const made = yield* swap(id, { defaultFees: [rule], partnerReference: "p" })
      if (typeof made === "string") return assert.fail(made)
      assert.deepInclude(made, {
        kind: "SWAP",
        status: "ACCEPTED",
        actsFor: "TENANT",
        customerId: null,
        provider: "fake",
        partnerReference: "p",
        customerFee: of(700n, sold),
        toAmountQuoted: of(units, bought)
      })
      assert.deepInclude(made.details, {
        made_by: "maker",
        to_currency: bought,
        quote_id: null,
        floor: null,
        fee_rule: rule.id
      })
      assert.deepStrictEqual(yield* balances(id, sold), {
        free: all - units - 700n,
        exchange: -units,
        fees: 700n,
        custodian: all
      })
      const [job] = yield* (yield* JobQueue).due(custodianQueue, made.createdAt, 9)
      assert.strictEqual(job?.key, made.id)
      const unruled = yield* swap(id)
      assert.isTrue(typeof unruled !== "string" && unruled.details.fee_rule === null)
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("with a quote costs what was quoted, whatever the rules and the market say since", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ slippageBps: 100 })
      const old = flatFee(300n, 6)
      const quote = yield* submit(
        id,
        createQuote({
          product: "SWAP",
          amount: of(units, sold),
          toCurrency: bought,
          customerId: null,
          rail: null,
          country: null,
          provider: "fake",
          rate: yield* dollar(),
          pair: { minimum: null, step: null },
          networkFee: null,
          lifetimeMs: 60_000,
          defaultFees: [old],
          currencies: defaultCurrencies
        })
      )
      yield* submit(id, addFeeRule(percentRule(50n)))
      const made = yield* swap(id, { quoteId: quote.id, rate: null, defaultFees: [] })
      if (typeof made === "string") return assert.fail(made)
      assert.deepStrictEqual(made.customerFee, of(300n, sold))
      assert.deepInclude(made.details, { quote_id: quote.id, floor: "9900", fee_rule: old.id })
      assert.strictEqual(yield* swap(id, { quoteId: quote.id }), "quote_already_used")
    }).pipe(Effect.provide(store))
  )

  it.effect("expects no more than its amount comes to: what is less than a unit is nobody's promise", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const made = yield* swap(id, { amount: of(19_999n, sold), toCurrency: "EUR" })
      assert.deepStrictEqual(typeof made === "string" ? made : made.toAmountQuoted, of(1n, "EUR"))
    }).pipe(Effect.provide(store))
  )

  it.effect("needs a price that is fresh", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      assert.strictEqual(yield* swap(id, { rate: yield* dollar(priceAgeMsMax + 1) }), "price_unavailable")
    }).pipe(Effect.provide(store))
  )

  it.effect("in a customer's name needs a check that grants swaps", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const { id: may } = yield* newCustomer(id)
      const check = approved(1, { capabilities: ["payouts", "fiat_accounts"] })
      const { id: mayNot } = yield* newCustomer(id, { check })
      assert.strictEqual(yield* swap(id, { customerId: mayNot }), "capability_missing")
      const made = yield* swap(id, { customerId: may })
      if (typeof made === "string") return assert.fail(made)
      assert.deepInclude(made, { customerId: may, actsFor: "CUSTOMER" })
    }).pipe(Effect.provide(store))
  )
})

describe("the end of a swap", () => {
  const settled = (received: bigint, feesBeside?: ReadonlyArray<ReturnType<typeof of>>) =>
    done({
      _tag: "Settled",
      providerReference: "c-1",
      received: of(received, bought),
      ...(feesBeside && { feesBeside })
    } as const)

  it.effect.each<readonly [string, boolean, bigint, bigint, bigint]>([
    ["the market's price gives what came", false, 8_000n, 8_000n, 0n],
    ["a quote that was kept gives what came", true, 9_950n, 9_950n, 0n],
    ["a quote that was beaten gives what was promised, and the rest is the service's", true, 10_400n, 10_000n, 400n],
    ["a quote that was missed gives the floor, which the service makes up for", true, 9_000n, 9_900n, -900n]
  ])("at %s", ([, quoted, received, credited, gain]) =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ slippageBps: 100 })
      const operation = yield* sent(id, units, quoted)
      yield* says(id, operation, settled(received))
      const after = yield* (yield* Queries).operation(id, operation.id)
      assert.deepInclude(after, { status: "SETTLED", toAmount: of(credited, bought), providerReference: "c-1" })
      assert.deepInclude(after?.details, { received: String(received), fees_beside: [] })
      assert.deepStrictEqual(yield* balances(id, sold), {
        free: all - units,
        exchange: 0n,
        fees: 0n,
        custodian: all - units
      })
      const into = { free: credited, exchange: 0n, fees: gain, custodian: received }
      assert.deepStrictEqual(yield* balances(id, bought), into)
      assert.deepStrictEqual(yield* eventsOf(id, operation), ["swap.settled"])
      const due = yield* (yield* JobQueue).due(custodianQueue, Number.MAX_SAFE_INTEGER, 9)
      assert.deepStrictEqual(due, [])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps what the custodian took beside, which is the service's cost", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      yield* says(id, operation, settled(8_000n, [of(7n, sold)]))
      const after = yield* (yield* Queries).operation(id, operation.id)
      assert.deepInclude(after?.details, { fees_beside: [{ currency: sold, units: "7" }] })
      assert.deepStrictEqual(yield* balances(id, sold), {
        free: all - units,
        exchange: 0n,
        fees: -7n,
        custodian: all - units - 7n
      })
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect.each<readonly [string, Parameters<typeof says>[2], string | null]>([
    ["that its custodian never had", refused("no such pair"), null],
    ["that failed there", done({ _tag: "Failed", providerReference: "c-1", reason: "no such pair" }), "c-1"]
  ])("of one %s gives back amount and fee", ([, answer, reference]) =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const made = yield* swap(id, { defaultFees: [flatFee(700n, 6)] })
      if (typeof made === "string") return assert.fail(made)
      yield* submit(id, recordSwap({ operation: made, answer, currencies: defaultCurrencies }))
      const after = yield* (yield* Queries).operation(id, made.id)
      assert.deepInclude(after, { status: "FAILED", providerReference: reference })
      assert.deepInclude(after?.details, { failure_reason: "provider_rejected", failure_detail: "no such pair" })
      assert.deepStrictEqual(yield* balances(id, sold), untouched)
      assert.deepStrictEqual(yield* balances(id, bought), nothing)
      assert.deepStrictEqual(yield* eventsOf(id, made), ["swap.failed"])
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("is not known while its custodian does not answer: nothing is given back, and it is asked again", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      const due = Effect.flatMap(JobQueue, (jobs) => jobs.due(custodianQueue, Number.MAX_SAFE_INTEGER, 9))
      for (const answer of [unknown("503"), unknown("502")]) {
        yield* says(id, operation, answer)
        const after = yield* (yield* Queries).operation(id, operation.id)
        assert.deepInclude(after, { status: "PROCESSING", unresolved: true })
        assert.strictEqual((yield* balances(id, sold)).free, all - units)
        assert.lengthOf(yield* due, 1)
      }
      assert.deepStrictEqual(yield* eventsOf(id, operation), ["swap.unresolved"])
      yield* says(id, operation, done({ _tag: "Pending", providerReference: "c-1" }))
      const after = yield* (yield* Queries).operation(id, operation.id)
      assert.deepInclude(after, { status: "SENT", unresolved: false, providerReference: "c-1" })
      assert.deepStrictEqual(yield* wrong(id), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("books nothing for a tenant that has not asked for it", () =>
    Effect.gen(function* () {
      const operation = yield* sent(yield* withdrawer(), units, false)
      const other = yield* withdrawer()
      yield* submit(
        other,
        writing(() => [schedule(custodianQueue, operation.id, 0)])
      )
      assert.isUndefined(yield* says(other, operation, settled(8_000n)))
      const due = yield* (yield* JobQueue).due(custodianQueue, Number.MAX_SAFE_INTEGER, 9)
      assert.isFalse(due.some(({ tenantId }) => tenantId === other))
      assert.deepStrictEqual(yield* balances(other, bought), nothing)
    }).pipe(Effect.provide(store))
  )

  it.effect("that was booked is not booked again, nor taken back", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer()
      const operation = yield* sent(id, units, false)
      yield* says(id, operation, settled(8_000n))
      const before = [yield* balances(id, sold), yield* balances(id, bought)]
      for (const answer of [settled(8_000n), settled(9_000n), refused("no")]) yield* says(id, operation, answer)
      assert.deepStrictEqual([yield* balances(id, sold), yield* balances(id, bought)], before)
    }).pipe(Effect.provide(store))
  )

  it.effect("credits between the floor and what was promised, and no more than came where nothing was", () =>
    Effect.gen(function* () {
      const id = yield* withdrawer({ slippageBps: 100 })
      const [quoted, market] = [yield* accept(id, units, true), yield* accept(id, units, false)]
      fc.assert(
        fc.property(fc.bigInt(1n, 20_000n), (received) => {
          assert.strictEqual(creditedOf(market, received), received)
          const credited = creditedOf(quoted, received)
          assert.isTrue(credited >= 9_900n && credited <= 10_000n)
          if (received >= 9_900n && received <= 10_000n) assert.strictEqual(credited, received)
        })
      )
    }).pipe(Effect.provide(store))
  )
})
