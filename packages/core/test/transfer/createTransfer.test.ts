import { createAccount } from "@bursar/core/account/createAccount"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { Queries } from "@bursar/core/store/Queries"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { createSwap } from "@bursar/core/swap/createSwap"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { createInternalTransfer } from "@bursar/core/transfer/createInternalTransfer"
import { createTransfer, type TransferRequest } from "@bursar/core/transfer/createTransfer"
import { transferOrderOf } from "@bursar/core/transfer/transferOrder"
import { newAccount, newCustomer } from "@bursar/testkit/fixtures/customers"
import { approved } from "@bursar/testkit/fixtures/FakeIdentity"
import { payee } from "@bursar/testkit/fixtures/people"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { accept, eventsOf, float, keyed, paidIn, payer, store, submit, baseRequest, wrong } from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

/** Two dollars a euro, or whatever is asked for. */
const rate = { price: { units: 2n, decimals: 0 }, source: "test", observedAt: 0 }

const quote = (tenant: TenantId, more: Partial<Parameters<typeof createQuote>[0]> = {}) =>
  submit(
    tenant,
    createQuote({
      product: "BANK_TRANSFER",
      amount: of(10_000n, "EUR"),
      toCurrency: "EUR",
      customerId: null,
      rail: null,
      country: null,
      provider: "fake",
      rate,
      networkFee: null,
      lifetimeMs: 60_000,
      defaultFees: [],
      currencies: defaultCurrencies,
      ...more
    })
  )

const nobody = "00000000-0000-7000-8000-00000000dead"

/** What is refused, with what has to be there first. */
const refusals: ReadonlyArray<
  readonly [
    string,
    string,
    (
      | Partial<TransferRequest>
      | ((tenant: TenantId) => Effect.Effect<Partial<TransferRequest>, unknown, Layer.Success<typeof store>>)
    )
  ]
> = [
  ["crypto to a bank", "unsupported_asset", { amount: of(1n, "USDC_BASE"), toCurrency: "USDC_BASE" }],
  ["crypto paid out", "unsupported_asset", { kind: "OFF_RAMP", amount: of(1n, "USDC_BASE"), toCurrency: "USDC_BASE" }],
  ["a currency that is not known", "unsupported_asset", { amount: of(1n, "XXX"), toCurrency: "XXX" }],
  ["a BANK_TRANSFER that converts", "pair_unavailable", { toCurrency: "GBP" }],
  ["an ON_RAMP that converts", "pair_unavailable", { kind: "ON_RAMP", payee: null, toCurrency: "GBP" }],
  ["nobody to pay", "beneficiary_invalid", { payee: null }],
  ["a customer that is not named", "invalid_request", { actsFor: "CUSTOMER" }],
  ["a customer that is not there", "not_found", { customerId: nobody }],
  ["a customer that is not there to act for", "not_found", { customerId: nobody, actsFor: "CUSTOMER" }],
  ["more than the float has with the fee", "insufficient_balance", { amount: of(99_900n, "EUR") }],
  ["a quote that is not there", "not_found", { quoteId: nobody }],
  [
    "a quote of something without a price",
    "quote_mismatch",
    (tenant) =>
      Effect.gen(function* () {
        const [{ id }, source] = [yield* quote(tenant), yield* paidIn(tenant)]
        return { kind: "REFUND", refund: { refundOf: source.id, name: "" }, quoteId: id }
      })
  ],
  [
    "a quote of another amount",
    "quote_mismatch",
    (tenant) => Effect.map(quote(tenant, { amount: of(9_999n, "EUR") }), ({ id }) => ({ quoteId: id }))
  ],
  [
    "a quote of another product",
    "quote_mismatch",
    (tenant) => Effect.map(quote(tenant, { product: "OFF_RAMP" }), ({ id }) => ({ quoteId: id }))
  ],
  [
    "a quote for another rail",
    "quote_mismatch",
    (tenant) => Effect.map(quote(tenant, { rail: "SEPA" }), ({ id }) => ({ quoteId: id, rail: "SEPA_INSTANT" }))
  ],
  [
    "a rail that was not quoted",
    "quote_mismatch",
    (tenant) => Effect.map(quote(tenant), ({ id }) => ({ quoteId: id, rail: "SEPA_INSTANT" }))
  ],
  [
    "a quote that has expired",
    "quote_expired",
    (tenant) =>
      quote(tenant).pipe(
        Effect.tap(() => TestClock.adjust("2 minutes")),
        Effect.map(({ id }) => ({ quoteId: id }))
      )
  ],
  [
    "a quote that was used",
    "quote_already_used",
    (tenant) =>
      quote(tenant).pipe(
        Effect.tap(({ id }) => accept(tenant, { quoteId: id })),
        Effect.map(({ id }) => ({ quoteId: id }))
      )
  ],
  [
    "a customer without a check",
    "customer_not_verified",
    (tenant) => Effect.map(newCustomer(tenant, { check: null }), ({ id }) => ({ customerId: id, actsFor: "CUSTOMER" }))
  ],
  [
    "a customer who was rejected",
    "customer_not_verified",
    (tenant) =>
      Effect.map(newCustomer(tenant, { check: approved(1, { status: "REJECTED" }) }), ({ id }) => ({
        customerId: id,
        actsFor: "CUSTOMER"
      }))
  ],
  [
    "a customer whose approval is over",
    "customer_not_verified",
    (tenant) =>
      newCustomer(tenant, { check: approved(1, { expiresAt: 60_000 }) }).pipe(
        Effect.tap(() => TestClock.adjust("1 minute")),
        Effect.map(({ id }) => ({ customerId: id, actsFor: "CUSTOMER" }))
      )
  ],
  [
    "a customer who may not be paid for",
    "capability_missing",
    (tenant) =>
      Effect.map(newCustomer(tenant, { check: approved(1, { capabilities: ["swaps"] }) }), ({ id }) => ({
        customerId: id,
        actsFor: "CUSTOMER"
      }))
  ],
  [
    "a customer whom the provider does not know",
    "customer_not_verified",
    (tenant) =>
      Effect.map(newCustomer(tenant, { registered: false }), ({ id }) => ({ customerId: id, actsFor: "CUSTOMER" }))
  ],
  [
    "a customer of another tenant",
    "not_found",
    () =>
      Effect.gen(function* () {
        const { id } = yield* newCustomer(yield* payer())
        return { customerId: id }
      })
  ]
]

describe("createTransfer refuses", () => {
  for (const [what, code, more] of refusals) {
    it.effect(`${what}, with nothing written (${code})`, () =>
      run(
        Effect.gen(function* () {
          const tenant = yield* payer()
          const given = typeof more === "function" ? yield* more(tenant) : more
          const queries = yield* Queries
          const before = [yield* queries.register(tenant, { limit: 100 }), yield* float(tenant)]
          assert.strictEqual(yield* keyed(tenant, createTransfer(baseRequest(given))), code)
          assert.deepStrictEqual([yield* queries.register(tenant, { limit: 100 }), yield* float(tenant)], before)
          assert.deepStrictEqual(yield* wrong(tenant), [])
        })
      )
    )
  }
})

describe("createTransfer", () => {
  it.effect("orders for the customer it acts for, and for the tenant where it only names one", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const { id } = yield* newCustomer(tenant)
        const acting = yield* accept(tenant, { customerId: id, actsFor: "CUSTOMER" })
        assert.deepStrictEqual([acting.customerId, acting.actsFor], [id, "CUSTOMER"])
        assert.strictEqual(transferOrderOf(acting)?.providerCustomerId, `cus-${id}`)
        const { id: unchecked } = yield* newCustomer(tenant, { check: null, registered: false })
        const naming = yield* accept(tenant, { customerId: unchecked })
        assert.deepStrictEqual([naming.customerId, naming.actsFor], [unchecked, "TENANT"])
        assert.strictEqual(transferOrderOf(naming)?.providerCustomerId, null)
      })
    )
  )

  it.effect("keeps the order as it was wished, to be sent the same every time", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const amount = of(10_000_000n, "USDC_BASE")
        const { id } = yield* quote(tenant, { product: "OFF_RAMP", amount, toCurrency: "EUR", rail: "SEPA" })
        const operation = yield* accept(tenant, { kind: "OFF_RAMP", amount, quoteId: id, rail: "SEPA" })
        assert.deepStrictEqual(operation.toAmountQuoted, of(2_000n, "EUR"))
        assert.deepStrictEqual(transferOrderOf(operation), {
          reference: operation.id,
          madeAt: operation.createdAt,
          sentAt: operation.createdAt,
          kind: "OFF_RAMP",
          amount,
          toCurrency: "EUR",
          providerCustomerId: null,
          payee,
          rail: "SEPA"
        })
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})

describe("createInternalTransfer", () => {
  const internal = (accountId: string | null, more: Partial<Parameters<typeof createInternalTransfer>[0]> = {}) =>
    createInternalTransfer({
      amount: of(5_000n, "EUR"),
      accountId,
      quoteId: null,
      partnerReference: null,
      actsFor: "TENANT",
      customerId: null,
      currencies: defaultCurrencies,
      ...more
    })

  it.effect("moves balance to the account at once, free of charge", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const account = yield* newAccount(tenant, (yield* newCustomer(tenant)).id)
        const made = yield* keyed(tenant, internal(account.id))
        if (typeof made === "string") return assert.fail(made)
        assert.deepStrictEqual([made.status, made.customerFee.units, made.toAmount], ["SETTLED", 0n, of(5_000n, "EUR")])
        assert.deepStrictEqual(yield* float(tenant), [95_000n, 0n])
        assert.deepStrictEqual(yield* eventsOf(tenant, made), ["transfer.settled"])
        const lines = yield* (yield* Queries).accountLines(tenant, {
          account: `account:${account.id}`,
          currency: "EUR",
          limit: 9
        })
        assert.deepStrictEqual(
          lines.map(({ leg }) => [leg.direction, leg.units, leg.balance]),
          [["CREDIT", 5_000n, 5_000n]]
        )
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )

  it.effect("refuses accounts that cannot take it, and what the float does not have", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const customer = yield* newCustomer(tenant)
        const open = yield* newAccount(tenant, customer.id)
        const ask = {
          customerId: customer.id,
          currency: "EUR",
          country: null,
          provider: { name: "fake", environment: "LIVE" } as const
        }
        const pending = yield* submit(tenant, createAccount({ ...ask, currencies: defaultCurrencies }))
        const refused = (accountId: string | null, more = {}) => keyed(tenant, internal(accountId, more))
        assert.strictEqual(yield* refused(null), "beneficiary_invalid")
        assert.strictEqual(yield* refused(nobody), "beneficiary_invalid")
        assert.strictEqual(yield* refused(pending.id), "account_not_active")
        assert.strictEqual(yield* refused(open.id, { amount: of(1n, "GBP") }), "beneficiary_invalid")
        assert.strictEqual(yield* refused(open.id, { amount: of(1n, "USDC_BASE") }), "unsupported_asset")
        assert.strictEqual(yield* refused(open.id, { amount: of(100_001n, "EUR") }), "insufficient_balance")
        assert.strictEqual(yield* refused(open.id, { quoteId: nobody }), "quote_mismatch")
        assert.strictEqual(yield* refused(open.id, { actsFor: "CUSTOMER" }), "invalid_request")
        assert.strictEqual(yield* refused(open.id, { customerId: nobody }), "not_found")
        assert.deepStrictEqual(yield* float(tenant), [100_000n, 0n])
        assert.deepStrictEqual(yield* wrong(tenant), [])
      })
    )
  )
})

describe("createSwap", () => {
  it.effect("converts for customers who may, and for no other", () =>
    run(
      Effect.gen(function* () {
        const tenant = yield* payer()
        const swap = (customerId: string) =>
          keyed(
            tenant,
            createSwap({
              madeBy: "maker",
              amount: of(1_000_000n, "USDC_BASE"),
              toCurrency: "USDT_ETH",
              customerId,
              quoteId: null,
              partnerReference: null,
              provider: { name: "fake", environment: "LIVE" },
              pair: { minimum: null, step: null },
              rate,
              defaultFees: [],
              currencies: defaultCurrencies
            })
          )
        const payouts = approved(1, { capabilities: ["payouts"] })
        assert.strictEqual(yield* swap(nobody), "not_found")
        assert.strictEqual(yield* swap((yield* newCustomer(tenant, { check: null })).id), "customer_not_verified")
        assert.strictEqual(yield* swap((yield* newCustomer(tenant, { check: payouts })).id), "capability_missing")
        const { id } = yield* newCustomer(tenant, { registered: false })
        const made = yield* swap(id)
        if (typeof made === "string") return assert.fail(made)
        assert.deepStrictEqual([made.customerId, made.actsFor], [id, "CUSTOMER"])
      })
    )
  )
})
