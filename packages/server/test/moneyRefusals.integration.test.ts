import { stored } from "./support/stored.ts"
import { addressItem } from "@bursar/testkit/fixtures/deposits"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { of } from "@bursar/core/money/Amount"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { setTenantPolicy } from "@bursar/core/access/tenantCommands"
import { FiatProvider } from "@bursar/core/port/FiatProvider"
import { Prices } from "@bursar/core/port/Prices"
import { Quote } from "@bursar/core/pricing/Quote"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import type { TenantPolicy } from "@bursar/core/tenant/Tenant"
import type { State } from "@bursar/memory"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { makeFakeFiat } from "@bursar/testkit/fixtures/FakeFiat"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { type Answer, Partner, portsOver } from "./support/Partner.ts"
import { addressOf, booked } from "./support/written.ts"

const custodian = makeFakeCustodian(
  () => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }),
  [{ from: "USDC_BASE", to: "ETH", minimum: of(1_000_000n, "USDC_BASE"), step: null }]
)

const fiat = makeFakeFiat(() => ({ order: "told", unreadable: 0, course: ["PROCESSING"] }))

const rate = (units: bigint, decimals: number) =>
  Effect.map(Clock.currentTimeMillis, (observedAt) => ({ price: { units, decimals }, source: "test", observedAt }))

const prices = Prices.of({
  usd: (currency) => (["USDC_BASE", "ETH", "EUR"].includes(currency) ? rate(1n, 0) : Effect.succeed(null)),
  rate: (from, to) => (from === "USDC_BASE" && to === "ETH" ? rate(5n, 4) : Effect.succeed(null))
})

const ports = (state: State) =>
  Layer.mergeAll(
    portsOver(state),
    custodian.layer,
    Layer.succeed(FiatProvider, fiat.provider),
    Layer.succeed(Prices, prices)
  )

const usdc = (amount: string) => ({ amount, currency: "USDC_BASE" })
const eur = (amount: string) => ({ amount, currency: "EUR" })

const codeOf = ({ body, status }: Answer) => [status, body?.error?.code]

/** A tenant with 1,000 USDC_BASE, 1 ETH and 1,000 EUR, a destination for USDC_BASE and a limit of 500 dollars on withdrawals. */
const begin = Effect.gen(function* () {
  const { seeder, send, state } = yield* Partner
  const id = yield* seeder.tenant({ policy: { destinationCoolingHours: 0, withdrawalLimitUsd: "500" } })
  const key = yield* seeder.key(id)
  for (const amount of [of(1_000_000_000n, "USDC_BASE"), of(10n ** 18n, "ETH"), of(100_000n, "EUR")])
    yield* seeder.submit(id, adjustFloat({ amount, against: "custodian", reason: "t" }))
  const proposal = { currency: "USDC_BASE", network: "base", memo: null, label: "Treasury", by: "ann" } as const
  const destination = yield* seeder.submit(id, proposeDestination({ ...proposal, address: addressOf(0xaa) }))
  yield* seeder.submit(id, verifyDestination(destination.id, "bob"))
  let made = 0
  const post = (path: string, body: unknown, as = `k-${(made += 1)}`) =>
    send("POST", path, { key, body, headers: { "idempotency-key": as } })
  /** The quotes of the tenant. */
  const quotes = () => stored(state, id, Quote)
  return { id, seeder, post, quotes, books: () => booked(state, id) }
})

type PayoutService = Effect.Success<typeof begin>

/** The path and body of what is refused. */
type Wrong = readonly [path: string, body: unknown]

interface Refused {
  readonly what: string
  readonly status?: number
  readonly code: string
  readonly wrong: Wrong | ((service: PayoutService) => Effect.Effect<Wrong>)
  readonly detail?: unknown
}

/** A quote that has run out. */
const expired = Effect.fnUntraced(function* ({ post, quotes }: PayoutService, baseRequest: object) {
  const { body } = yield* post("/v1/quotes", baseRequest)
  // the map of this kind holds quotes alone
  quotes().set(body.id, { ...(quotes().get(body.id) as Quote), expiresAt: 1_700_000_000_000 })
  return body.id as string
})

const quoted = ({ post }: PayoutService, baseRequest: object) =>
  Effect.map(post("/v1/quotes", baseRequest), ({ body }) => body.id as string)

const ofSwap = { product: "SWAP", amount: usdc("100"), to_currency: "ETH" }

const ofTransfer = { product: "BANK_TRANSFER", amount: eur("100") }

const swap = { amount: usdc("100"), to_currency: "ETH" }

const transfer = {
  kind: "BANK_TRANSFER",
  amount: eur("100"),
  beneficiary_name: "Ana Silva",
  beneficiary_account: "PT50000201231234567890154"
}

/** A transfer of a tenant whose limits are other ones. */
const limited =
  (policy: Partial<TenantPolicy>, body: object = transfer) =>
  ({ id, seeder }: PayoutService) =>
    Effect.as(seeder.submit(id, setTenantPolicy(policy)), ["/v1/transfers", body] as const)

const refusals: ReadonlyArray<Refused> = [
  {
    what: "a withdrawal of a cent more than the limit",
    code: "withdrawal_limit_exceeded",
    wrong: ["/v1/withdrawals", { amount: usdc("500.01") }]
  },
  {
    what: "a withdrawal that passes the limit with one before",
    code: "withdrawal_limit_exceeded",
    wrong: ({ post }) =>
      Effect.as(post("/v1/withdrawals", { amount: usdc("499.91") }), ["/v1/withdrawals", { amount: usdc("0.1") }])
  },
  {
    what: "a withdrawal of a currency without a destination",
    code: "destination_not_verified",
    wrong: ["/v1/withdrawals", { amount: { amount: "0.1", currency: "ETH" } }]
  },
  {
    what: "a withdrawal to a destination that nobody has verified",
    code: "destination_not_verified",
    wrong: ({ seeder, id }) =>
      Effect.as(
        seeder.submit(
          id,
          proposeDestination({
            currency: "ETH",
            network: "ethereum",
            address: addressOf(0xbb),
            memo: null,
            label: "New",
            by: "ann"
          })
        ),
        ["/v1/withdrawals", { amount: { amount: "0.1", currency: "ETH" } }]
      )
  },
  {
    what: "a conversion the other way round",
    code: "pair_unavailable",
    wrong: ["/v1/swaps", { amount: { amount: "0.1", currency: "ETH" }, to_currency: "USDC_BASE" }]
  },
  {
    what: "the price of such a conversion",
    code: "pair_unavailable",
    wrong: ["/v1/quotes", { ...ofSwap, amount: { amount: "0.1", currency: "ETH" }, to_currency: "USDC_BASE" }]
  },
  {
    what: "a transfer out in another currency than it is in",
    code: "pair_unavailable",
    wrong: ["/v1/quotes", { ...ofTransfer, to_currency: "GBP" }]
  },
  {
    what: "a conversion of less than the least",
    code: "below_minimum",
    wrong: ["/v1/swaps", { ...swap, amount: usdc("0.999999") }],
    detail: { minimum: usdc("1") }
  },
  {
    what: "the price of less than the least",
    code: "below_minimum",
    wrong: ["/v1/quotes", { ...ofSwap, amount: usdc("0.999999") }],
    detail: { minimum: usdc("1") }
  },
  {
    what: "a conversion of more than there is",
    code: "insufficient_balance",
    wrong: ["/v1/swaps", { ...swap, amount: usdc("1000.000001") }],
    detail: { available: usdc("1000"), backed: usdc("1000"), required: usdc("1000.000001") }
  },
  {
    what: "a transfer of more than there is",
    code: "insufficient_balance",
    wrong: ["/v1/transfers", { ...transfer, amount: eur("1000.01") }],
    detail: { available: eur("1000"), backed: eur("1000"), required: eur("1000.01") }
  },
  {
    what: "a transfer of more than one payout may be",
    code: "payout_limit_exceeded",
    wrong: limited({ payoutLimitUsd: "10" })
  },
  {
    what: "a transfer of more than may leave in a day",
    code: "daily_limit_exceeded",
    wrong: limited({ payoutDailyLimitUsd: "10" })
  },
  {
    what: "a transfer of more than may go to new receivers",
    code: "new_address_limit_exceeded",
    wrong: limited({ payoutNewAddressLimitUsd: "10" })
  },
  {
    what: "a transfer of what has no price, where a limit applies",
    code: "price_unavailable",
    wrong: limited(
      { payoutLimitUsd: "1000" },
      { ...transfer, amount: { amount: "100", currency: "GBP" }, beneficiary_account: "GB33BUKB20201555555555" }
    )
  },
  {
    what: "a conversion at a price that was held too long ago",
    code: "quote_expired",
    wrong: (service) => Effect.map(expired(service, ofSwap), (quote_id) => ["/v1/swaps", { ...swap, quote_id }])
  },
  {
    what: "a transfer at a price that was held too long ago",
    code: "quote_expired",
    wrong: (service) =>
      Effect.map(expired(service, ofTransfer), (quote_id) => ["/v1/transfers", { ...transfer, quote_id }])
  },
  {
    what: "a conversion of another amount than was priced",
    code: "quote_mismatch",
    wrong: (service) =>
      Effect.map(quoted(service, ofSwap), (quote_id) => ["/v1/swaps", { ...swap, amount: usdc("101"), quote_id }])
  },
  {
    what: "a conversion at the price of a transfer",
    code: "quote_mismatch",
    wrong: (service) => Effect.map(quoted(service, ofTransfer), (quote_id) => ["/v1/swaps", { ...swap, quote_id }])
  },
  {
    what: "a transfer of another amount than was priced",
    code: "quote_mismatch",
    wrong: (service) =>
      Effect.map(quoted(service, ofTransfer), (quote_id) => [
        "/v1/transfers",
        { ...transfer, amount: eur("99.99"), quote_id }
      ])
  },
  {
    what: "an operation at a price that was used",
    status: 409,
    code: "quote_already_used",
    wrong: (service) =>
      Effect.gen(function* () {
        const wrong = ["/v1/swaps", { ...swap, quote_id: yield* quoted(service, ofSwap) }] as const
        yield* service.post(...wrong)
        return wrong
      })
  }
]

const test = <A, E>(name: string, effect: Effect.Effect<A, E, Partner>) =>
  it.live(name, () => Effect.provide(effect, Partner.layer({}, ports)))

describe("nothing is written but the refusal of", () => {
  for (const { code, detail, status = 422, what, wrong } of refusals) {
    test(
      `${what} (${code})`,
      Effect.gen(function* () {
        const service = yield* begin
        const [path, body] = typeof wrong === "function" ? yield* wrong(service) : wrong
        const before = service.books()
        for (const time of ["first", "again"]) {
          const answer = yield* service.post(path, body, "refused")
          assert.deepStrictEqual(codeOf(answer), [status, code], `${time}: ${answer.text}`)
          if (detail !== undefined) assert.deepStrictEqual(answer.body.error.detail, detail)
        }
        assert.deepStrictEqual(service.books(), before)
      })
    )
  }

  test(
    "an address that another has, where it is registered (address_unavailable)",
    Effect.gen(function* () {
      const { books, seeder, post } = yield* begin
      const [network, address] = ["ethereum", addressOf(0xcc)] as const
      yield* seeder.submit(yield* seeder.tenant(), registerAddresses([addressItem(address, { network })]))
      const before = books()
      const answer = yield* post("/v1/deposit-addresses", { addresses: [{ network, address, reference: "ours" }] })
      assert.strictEqual(answer.status, 200)
      const [result] = answer.body.results
      assert.deepStrictEqual(
        [result.index, result.status, result.address, result.error.code],
        [0, "refused", null, "address_unavailable"]
      )
      assert.deepStrictEqual(books(), before)
    })
  )

  test(
    "addresses of which another has one, where they are derived (address_unavailable)",
    Effect.gen(function* () {
      const { books, seeder, post } = yield* begin
      // account m/44'/60'/0' of the mnemonic "abandon × 11 about", and its second address
      const xpub =
        "xpub6DCoCpSuQZB2jawqnGMEPS63ePKWkwWPH4TU45Q7LPXWuNd8TMtVxRrgjtEshuqpK3mdhaWHPFsBngh5GFZaM6si3yZdUsT8ddYM3PwnATt"
      const theirs = addressItem("0x6fac4d18c912343bf86fa7049364dd4e424ab9c0")
      yield* seeder.submit(yield* seeder.tenant(), registerAddresses([theirs]))
      yield* post("/v1/deposit-xpubs", { network: "ethereum", xpub, index_from: 0, index_to: 99 })
      const before = books()
      const answer = yield* post("/v1/deposit-addresses/derive", { network: "ethereum", reference: "r", count: 2 })
      assert.deepStrictEqual(codeOf(answer), [422, "address_unavailable"])
      assert.deepStrictEqual(books(), before)
    })
  )
})
