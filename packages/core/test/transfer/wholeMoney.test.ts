import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { done, refused, unknown } from "@bursar/core/port/ProviderResult"
import type { TransferState } from "@bursar/core/port/FiatProvider"
import { Queries } from "@bursar/core/store/Queries"
import { createQuote } from "@bursar/core/pricing/createQuote"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { beginTransfer } from "@bursar/core/transfer/beginTransfer"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import type { ProvidedKind } from "@bursar/core/transfer/Transfer"
import { payerAsStored } from "@bursar/testkit/fixtures/FakeFiat"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import {
  balanceOf,
  float,
  hear,
  keyed,
  paidIn,
  payer,
  sender,
  store,
  submit,
  unnamed,
  baseRequest,
  wrong
} from "./world.ts"

const run = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, store)

/** Amounts about the ordered one, the fee and nothing: where mistakes are. */
const units = fc.oneof(
  fc.constantFrom(0n, 1n, 2n, 99n, 100n, 101n, 3_000n, 7_000n, 9_999n, 10_000n, 10_001n, 1_000_000n),
  fc.bigInt(0n, 20_000n)
)

const amount = fc.option(fc.record({ units, currency: fc.constantFrom("EUR", "EUR", "EUR", "USD") }), { nil: null })

const statuses = [
  "AWAITING_FUNDS",
  "IN_REVIEW",
  "PROCESSING",
  "SENT",
  "SETTLED",
  "SETTLED",
  "SETTLED",
  "RETURNED",
  "RETURNED",
  "FAILED",
  "UNRESOLVED"
] as const

const answer = fc.oneof(
  { weight: 8, arbitrary: fc.record({ status: fc.constantFrom(...statuses), received: amount, returned: amount }) },
  { weight: 1, arbitrary: fc.constantFrom("refused" as const, "unknown" as const) }
)

const life = fc.record({
  kind: fc.constantFrom<ProvidedKind>("ON_RAMP", "ON_RAMP", "OFF_RAMP", "BANK_TRANSFER", "REFUND"),
  quoted: fc.boolean(),
  percent: fc.constantFrom(0n, 1n, 50n),
  minimum: fc.constantFrom(0n, 5n, 90n),
  answers: fc.array(answer, { minLength: 1, maxLength: 8 })
})

const hearing = (one: typeof answer extends fc.Arbitrary<infer A> ? A : never) => {
  if (one === "refused") return refused("no")
  if (one === "unknown") return unknown("503")
  return done<TransferState>({ providerReference: unnamed, reason: null, sender, ...one })
}

/** What the books have of a currency: owed to the tenant, kept by the service, at the bank and unattributed. */
const books = Effect.fnUntraced(function* (tenant: Parameters<typeof float>[0], currency: string) {
  const [free, held] = yield* float(tenant, currency)
  const [bank, fees, suspense] = [
    yield* balanceOf(tenant, "bank", currency),
    yield* balanceOf(tenant, "fees", currency),
    -(yield* balanceOf(tenant, "suspense", currency))
  ]
  return { free, held, bank, fees, suspense }
})

/** What was told to have arrived was credited whole by an answer that told what of it had come back, and of nothing that had arrived. */
const creditedWithoutItsReturn: typeof life extends fc.Arbitrary<infer A> ? A : never = {
  kind: "ON_RAMP",
  quoted: false,
  percent: 0n,
  minimum: 0n,
  answers: [
    { status: "RETURNED", received: null, returned: { units: 9_999n, currency: "EUR" } },
    { status: "SETTLED", received: { units: 10_000n, currency: "EUR" }, returned: null },
    {
      status: "RETURNED",
      received: { units: 0n, currency: "EUR" },
      returned: { units: 101n, currency: "EUR" }
    }
  ]
}

describe("whatever is quoted, arrives, is paid out, comes back and is said of it", () => {
  it("nobody is credited or charged beyond what moved, and every unit stands somewhere", async () => {
    await fc.assert(
      fc.asyncProperty(life, ({ answers, kind, minimum, percent, quoted }) =>
        Effect.runPromise(
          run(
            Effect.gen(function* () {
              const tenant = yield* payer()
              const source = kind === "REFUND" ? yield* paidIn(tenant) : undefined
              yield* submit(
                tenant,
                addFeeRule({
                  product: null,
                  currency: null,
                  rail: null,
                  percent: { units: percent, decimals: 0 },
                  minimumFee: { units: minimum, decimals: 0 },
                  priority: 0,
                  effectiveFrom: null
                })
              )
              const quote =
                quoted && kind !== "REFUND"
                  ? yield* submit(
                      tenant,
                      createQuote({
                        product: kind,
                        amount: of(10_000n, "EUR"),
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
                  : undefined
              const before = yield* books(tenant, "EUR")
              const made = yield* keyed(
                tenant,
                createTransfer(
                  baseRequest({
                    kind,
                    ...(kind === "ON_RAMP" && { payee: null }),
                    ...(source !== undefined && { refund: { refundOf: source.id, name: "" } }),
                    quoteId: quote?.id ?? null
                  })
                )
              )
              if (typeof made === "string") return
              yield* submit(tenant, beginTransfer(made, { name: "fake", environment: "LIVE" }, payerAsStored(made)))
              let after = made
              for (const one of answers) {
                const [was, said] = [after, yield* books(tenant, "EUR")]
                after = yield* hear(tenant, made, hearing(one))
                const now = yield* books(tenant, "EUR")
                if (kind === "ON_RAMP" && after.status === "SETTLED" && was.status !== "SETTLED") {
                  const came = typeof one === "object" ? (one.received?.units ?? 0n) : 0n
                  assert.strictEqual(
                    now.free - said.free + now.fees - said.fees,
                    came,
                    "what is credited and kept came"
                  )
                  assert.isTrue(now.free > said.free, "something of it is credited")
                  if (came <= 10_000n)
                    assert.isTrue(now.fees - said.fees <= made.customerFee.units, "no more than was quoted")
                }
              }
              const now = yield* books(tenant, "EUR")
              const dollars = yield* books(tenant, "USD")
              assert.strictEqual(dollars.bank, dollars.suspense, "what strayed is in suspense")
              const gone = before.free + before.held - now.free - now.held
              const [kept, moved] = [now.fees - before.fees, now.bank - before.bank]
              assert.strictEqual(moved, kept - gone + now.suspense - before.suspense, "it balances")
              assert.isTrue(kept >= 0n && now.suspense >= 0n)
              if (kind === "ON_RAMP") {
                assert.isTrue(gone <= 0n && moved >= 0n, "it costs the tenant nothing")
                assert.strictEqual(now.held, 0n)
              } else {
                assert.isTrue(kept <= made.customerFee.units, "no more than the fee is kept")
                assert.isTrue(
                  gone >= 0n && gone <= made.amount.units + made.customerFee.units,
                  "nothing is won, no more is lost"
                )
                assert.isTrue(now.held === 0n || now.free === before.free - now.held)
                if (after.status === "SETTLED" && answers.length === 1) {
                  const [only] = answers
                  const paid = typeof only === "object" ? (only.received?.units ?? 0n) : 0n
                  assert.isTrue(paid >= (quote?.bindingFloor.units ?? made.amount.units), "the floor binds")
                }
              }
              if (source !== undefined) {
                const left = yield* (yield* Queries).operation(tenant, source.id)
                const taken = BigInt(String(left?.details.refunded))
                assert.strictEqual(
                  taken,
                  before.free - now.free,
                  "a refund takes from its source what it paid out, or holds"
                )
                assert.isTrue(taken >= 0n && taken <= 10_000n)
              }
              assert.deepStrictEqual(yield* wrong(tenant), [])
            })
          )
        )
      ),
      { numRuns: 400, examples: [[creditedWithoutItsReturn]] }
    )
  })
})
