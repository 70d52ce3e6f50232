import { type Amount, of } from "@bursar/core/money/Amount"
import type { Decimal, Rate } from "@bursar/core/money/Rate"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { Custodian } from "@bursar/core/port/Custodian"
import { Prices } from "@bursar/core/port/Prices"
import { addFeeRule } from "@bursar/core/pricing/feeRuleCommands"
import { proposeDestination, verifyDestination } from "@bursar/core/destination/destinationCommands"
import type { State } from "@bursar/memory"
import { makeFakeCustodian } from "@bursar/testkit/fixtures/FakeCustodian"
import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { Partner, portsOver } from "./support/Partner.ts"

/** What the custodian keeps of a conversion; null: it does not say. */
let conversionFee: Decimal | null = { units: 0n, decimals: 0 }

/** What the custodian says of the network's fee for a withdrawal. */
const toldFee = { amount: of(1n, "USDC_BASE") as Amount | null, borneBy: "RECEIVER" as "RECEIVER" | "SERVICE" }

const { provider } = makeFakeCustodian(
  () => ({ order: "settled", unreadable: 0, pending: 0, end: "settled" }),
  [{ from: "USDC_BASE", to: "ETH", minimum: of(600_001n, "USDC_BASE"), step: of(500_000n, "USDC_BASE") }],
  () => conversionFee
)

const custodian = Layer.succeed(Custodian, {
  ...provider,
  get networkFeeBorneBy() {
    return toldFee.borneBy
  },
  withdrawalFee: () => Effect.sync(() => toldFee.amount)
})

/** How long ago prices were seen. */
const seen = { agoMs: 2000 }

const rate = (text: bigint, decimals: number) =>
  Effect.map(Clock.currentTimeMillis, (now): Rate => ({
    price: { units: text, decimals },
    source: "test",
    observedAt: now - seen.agoMs
  }))

const unknown = Effect.succeed(null)

/** Prices of two currencies and one pair; nothing is known of the rest. */
const prices = Layer.succeed(
  Prices,
  Prices.of({
    usd: (currency) => (currency === "USDC_BASE" ? rate(1n, 0) : currency === "ETH" ? rate(2000n, 0) : unknown),
    rate: (from, to) => (from === "USDC_BASE" && to === "ETH" ? rate(5n, 4) : unknown)
  })
)

const ports = (state: State) => Layer.mergeAll(portsOver(state), custodian, prices)

const address = "0x00000000000000000000000000000000000000aa"

const usdc = (amount: string) => ({ amount, currency: "USDC_BASE" })

const zero = { units: 0n, decimals: 0 }

/** A tenant with a fee of one percent, a float of 1,000 USDC_BASE and, unless told otherwise, a destination. */
const begin = Effect.fnUntraced(function* (destined = true) {
  const { seeder, send } = yield* Partner
  const id = yield* seeder.tenant({ policy: { destinationCoolingHours: 0, withdrawalLimitUsd: "500" } })
  const key = yield* seeder.key(id)
  yield* seeder.submit(id, adjustFloat({ amount: of(1_000_000_000n, "USDC_BASE"), against: "custodian", reason: "t" }))
  yield* seeder.submit(
    id,
    addFeeRule({
      product: null,
      currency: null,
      rail: null,
      percent: { units: 1n, decimals: 0 },
      minimumFee: zero,
      priority: 1,
      effectiveFrom: null
    })
  )
  if (destined) {
    const proposal = {
      currency: "USDC_BASE",
      network: "base",
      address,
      memo: null,
      label: "Treasury",
      by: "ann"
    } as const
    const { id: destination } = yield* seeder.submit(id, proposeDestination(proposal))
    yield* seeder.submit(id, verifyDestination(destination, "bob"))
  }
  let made = 0
  const post = (path: string, body: unknown) =>
    send("POST", path, { key, body, headers: { "idempotency-key": `k-${(made += 1)}` } })
  const get = (path: string) => send("GET", path, { key })
  return { id, key, post, get }
})

const available = Effect.fnUntraced(function* (get: Effect.Success<ReturnType<typeof begin>>["get"]) {
  const { body } = yield* get("/v1/float")
  return body.currencies.map((one: { available: { amount: string; currency: string }; held: { amount: string } }) => [
    one.available.currency,
    one.available.amount,
    one.held.amount
  ])
})

layer(Partner.layer({}, ports), { excludeTestServices: true })("conversions and withdrawals", (it) => {
  it.effect("lists pairs with the market's rate and the least that the custodian converts", () =>
    Effect.gen(function* () {
      const { get } = yield* begin()
      const { body } = yield* get("/v1/pairs")
      assert.strictEqual(body.pairs.length, 1)
      const { rate_age_seconds, ...pair } = body.pairs[0]
      assert.isAbove(rate_age_seconds, 0)
      assert.deepStrictEqual(pair, { from_currency: "USDC_BASE", to_currency: "ETH", rate: "0.0005", minimum: "1" })
    })
  )

  it.effect("charges the price of a quote once, and takes amount and fee from the balance at once", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin()
      const amount = { amount: "100", currency: "USDC_BASE" }
      const quote = yield* post("/v1/quotes", { product: "SWAP", amount, to_currency: "ETH" })
      assert.strictEqual(quote.status, 200)
      assert.deepStrictEqual(
        [quote.body.customer_fee, quote.body.amount_received, quote.body.binding_floor, quote.body.exchange_rate],
        [{ amount: "1", currency: "USDC_BASE" }, { amount: "0.05", currency: "ETH" }, "0.05", "0.0005"]
      )
      const swap = { amount, to_currency: "ETH", quote_id: quote.body.id }
      const first = yield* post("/v1/swaps", swap)
      assert.strictEqual(first.status, 201)
      assert.deepStrictEqual(
        [first.body.status, first.body.customer_fee.amount, first.body.to_amount_quoted, first.body.to_amount],
        ["ACCEPTED", "1", { amount: "0.05", currency: "ETH" }, null]
      )
      const again = yield* post("/v1/swaps", swap)
      assert.deepStrictEqual([again.status, again.body.error.code], [409, "quote_already_used"])
      assert.deepStrictEqual(yield* available(get), [["USDC_BASE", "899", "0"]])
      const { body: listed } = yield* get("/v1/swaps")
      assert.deepStrictEqual(listed, [first.body])
      assert.deepStrictEqual((yield* get(`/v1/swaps/${first.body.id}`)).body, first.body)
    })
  )

  it.effect("promises what is left after the custodian's fee, and nothing while that is not known", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin()
      const amount = { amount: "100", currency: "USDC_BASE" }
      const request = { product: "SWAP", amount, to_currency: "ETH" }
      yield* Effect.ensuring(
        Effect.gen(function* () {
          conversionFee = { units: 26n, decimals: 4 }
          const quote = yield* post("/v1/quotes", request)
          assert.deepStrictEqual(
            [quote.body.amount_received.amount, quote.body.binding_floor, quote.body.exchange_rate],
            ["0.04987", "0.04987", "0.0004987"]
          )
          assert.strictEqual((yield* get("/v1/pairs")).body.pairs[0].rate, "0.0004987")
          const swap = yield* post("/v1/swaps", { amount, to_currency: "ETH" })
          assert.deepStrictEqual(swap.body.to_amount_quoted, { amount: "0.04987", currency: "ETH" })
          conversionFee = null
          for (const refused of [
            yield* post("/v1/quotes", request),
            yield* post("/v1/swaps", { amount, to_currency: "ETH" })
          ])
            assert.strictEqual(refused.body.error.code, "price_unavailable")
          assert.deepStrictEqual((yield* get("/v1/pairs")).body.pairs, [])
        }),
        Effect.sync(() => void (conversionFee = { units: 0n, decimals: 0 }))
      )
    })
  )

  it.effect("withdraws to the verified destination and to no other, holding amount and fee", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin()
      const amount = { amount: "200", currency: "USDC_BASE" }
      const elsewhere = yield* post("/v1/withdrawals", {
        amount,
        destination: "0x00000000000000000000000000000000000000bb"
      })
      assert.deepStrictEqual([elsewhere.status, elsewhere.body.error.code], [422, "unknown_field"])
      const { body, status } = yield* post("/v1/withdrawals", { amount, partner_reference: "t-1" })
      assert.strictEqual(status, 201)
      assert.deepStrictEqual(
        [
          body.status,
          body.destination,
          body.customer_fee.amount,
          body.network_fee,
          body.tx_hash,
          body.partner_reference
        ],
        ["ACCEPTED", address, "2", null, null, "t-1"]
      )
      assert.deepStrictEqual(yield* available(get), [["USDC_BASE", "798", "202"]])
      assert.deepStrictEqual((yield* get("/v1/withdrawals/limit")).body, {
        limit_usd: "500.00",
        spent_usd: "200.00",
        remaining_usd: "300.00"
      })
      assert.deepStrictEqual((yield* get(`/v1/withdrawals/${body.id}`)).body, body)
      assert.deepStrictEqual((yield* get("/v1/withdrawals?status=ACCEPTED")).body, [body])
    })
  )

  it.effect("takes a price that is too old for none: nothing is sold, withdrawn or told by it", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin()
      yield* Effect.addFinalizer(() => Effect.sync(() => (seen.agoMs = 2000)))
      seen.agoMs = 3 * 365 * 86_400_000
      const amount = { amount: "10", currency: "USDC_BASE" }
      const refused = yield* Effect.all([
        post("/v1/quotes", { product: "SWAP", amount, to_currency: "ETH" }),
        post("/v1/swaps", { amount, to_currency: "ETH" }),
        post("/v1/withdrawals", { amount })
      ])
      for (const { body } of refused) assert.strictEqual(body.error.code, "price_unavailable")
      assert.deepStrictEqual((yield* get("/v1/pairs")).body, { pairs: [] })
      const { body: told } = yield* get("/v1/withdrawals/estimate?currency=USDC_BASE&amount=10")
      assert.isNull(told.fee_usd)
      assert.include(told.usd_unavailable, "USDC_BASE")
      const { body: listed } = yield* get("/v1/currencies")
      assert.isFalse(listed.currencies.find((one: { code: string }) => one.code === "USDC_BASE").priced)
      assert.deepStrictEqual(yield* available(get), [["USDC_BASE", "1000", "0"]])
    })
  )

  it.effect("estimates though neither currency nor amount is named: what is charged whatever the amount", () =>
    Effect.gen(function* () {
      const { get } = yield* begin()
      const bare = yield* get("/v1/withdrawals/estimate")
      assert.strictEqual(bare.status, 200, bare.text)
      assert.deepInclude(bare.body, {
        amount: { amount: "0", currency: "USDC_BASE" },
        fee: { amount: "0", currency: "USDC_BASE" }
      })
      const other = yield* get("/v1/withdrawals/estimate?currency=ETH")
      assert.deepInclude(other.body, { amount: { amount: "0", currency: "ETH" } })
      const nowhere = yield* begin(false)
      assert.strictEqual((yield* nowhere.get("/v1/withdrawals/estimate?amount=1")).status, 200)
      assert.strictEqual((yield* get("/v1/withdrawals/estimate?amount=")).body.error.code, "amount_invalid")
      assert.strictEqual((yield* get("/v1/withdrawals/estimate?currency=EUR")).body.error.code, "unsupported_asset")
    })
  )

  it.effect("estimates with what is known, and says what has no price", () =>
    Effect.gen(function* () {
      const { get } = yield* begin()
      const known = yield* get("/v1/withdrawals/estimate?currency=USDC_BASE&amount=10")
      const { estimated_at, ...rest } = known.body
      assert.isString(estimated_at)
      assert.deepStrictEqual(rest, {
        amount: { amount: "10", currency: "USDC_BASE" },
        fee: { amount: "0.1", currency: "USDC_BASE" },
        fee_usd: "0.10",
        network_fee: { amount: "0.000001", currency: "USDC_BASE" },
        network_fee_usd: "0.00",
        amount_received: { amount: "9.999999", currency: "USDC_BASE" },
        usd_unavailable: []
      })
      const unknown = yield* get("/v1/withdrawals/estimate?currency=BNB&amount=10")
      assert.deepStrictEqual([unknown.body.fee_usd, unknown.body.usd_unavailable], [null, ["BNB"]])
    })
  )

  it.effect(
    "promises of a withdrawal what the estimate tells: what is left where the receiver bears the network's fee",
    () =>
      Effect.gen(function* () {
        const { get, post } = yield* begin()
        yield* Effect.addFinalizer(() =>
          Effect.sync(() => Object.assign(toldFee, { amount: of(1n, "USDC_BASE"), borneBy: "RECEIVER" }))
        )
        const asked = Effect.gen(function* () {
          const quote = yield* post("/v1/quotes", { product: "WITHDRAWAL", amount: usdc("10") })
          const { body } = yield* get("/v1/withdrawals/estimate?currency=USDC_BASE&amount=10")
          const { amount_received: received = null, binding_floor: floor = null, error } = quote.body
          return { received, floor, estimated: body.amount_received, code: error?.code ?? null }
        })
        const left = { received: usdc("9.5"), floor: "9.5", estimated: usdc("9.5"), code: null }
        const whole = { received: usdc("10"), floor: "10", estimated: usdc("10"), code: null }
        const refused = (code: string) => ({ received: null, floor: null, estimated: null, code })
        for (const [borneBy, amount, answer] of [
          ["RECEIVER", of(500_000n, "USDC_BASE"), left],
          ["RECEIVER", null, refused("price_unavailable")],
          ["RECEIVER", of(1n, "ETH"), refused("price_unavailable")],
          ["RECEIVER", of(10_000_000n, "USDC_BASE"), refused("below_minimum")],
          ["SERVICE", of(500_000n, "USDC_BASE"), whole],
          ["SERVICE", of(1n, "ETH"), whole],
          ["SERVICE", null, { ...whole, estimated: null }]
        ] as const) {
          Object.assign(toldFee, { amount, borneBy })
          assert.deepStrictEqual(yield* asked, answer, `${borneBy} bears ${amount?.units} ${amount?.currency}`)
        }
      })
  )

  it.effect("never lets concurrent withdrawals pass the limit together", () =>
    Effect.gen(function* () {
      const { get, post } = yield* begin()
      const answers = yield* Effect.forEach(
        Array.from({ length: 12 }),
        () => post("/v1/withdrawals", { amount: { amount: "90", currency: "USDC_BASE" } }),
        { concurrency: "unbounded" }
      )
      const codes = answers.map(({ body, status }) => (status === 201 ? "ok" : body.error.code))
      assert.deepStrictEqual(codes.toSorted(), [
        ...Array.from({ length: 5 }, () => "ok"),
        ...Array.from({ length: 7 }, () => "withdrawal_limit_exceeded")
      ])
      assert.strictEqual((yield* get("/v1/withdrawals/limit")).body.spent_usd, "450.00")
    })
  )

  const nobody = "019845e1-682f-7b02-a706-00000000ffff"
  const euros = { amount: "10", currency: "EUR" }
  const swap = { amount: usdc("10"), to_currency: "ETH" }
  const ofSwap = { ...swap, product: "SWAP" }
  const bad: ReadonlyArray<readonly [string, string, unknown, number, string]> = [
    [
      "a currency that does not exist",
      "/v1/withdrawals",
      { amount: { amount: "1", currency: "NOPE" } },
      422,
      "unsupported_asset"
    ],
    ["fiat", "/v1/withdrawals", { amount: { amount: "1", currency: "EUR" } }, 422, "unsupported_asset"],
    ["nothing", "/v1/withdrawals", { amount: usdc("0") }, 422, "amount_invalid"],
    ["too many decimals", "/v1/withdrawals", { amount: usdc("1.0000001") }, 422, "amount_too_precise"],
    ["more than the limit", "/v1/withdrawals", { amount: usdc("501") }, 422, "withdrawal_limit_exceeded"],
    [
      "a currency without a destination",
      "/v1/withdrawals",
      { amount: { amount: "1", currency: "ETH" } },
      422,
      "destination_not_verified"
    ],
    [
      "a pair that is not converted",
      "/v1/swaps",
      { amount: { amount: "1", currency: "ETH" }, to_currency: "USDC_BASE" },
      422,
      "pair_unavailable"
    ],
    ["less than the minimum", "/v1/swaps", { amount: usdc("0.5"), to_currency: "ETH" }, 422, "below_minimum"],
    ["more than the balance", "/v1/swaps", { amount: usdc("1000"), to_currency: "ETH" }, 422, "insufficient_balance"],
    ["another's quote", "/v1/swaps", { amount: usdc("5"), to_currency: "ETH", quote_id: nobody }, 404, "not_found"],
    ["a product that is none", "/v1/quotes", { product: "LOAN", amount: usdc("5") }, 422, "unknown_kind"],
    [
      "a conversion to itself",
      "/v1/quotes",
      { product: "SWAP", amount: usdc("5"), to_currency: "USDC_BASE" },
      422,
      "pair_unavailable"
    ],
    ["a pair that is not converted", "/v1/quotes", { ...ofSwap, to_currency: "BTC" }, 422, "pair_unavailable"],
    ["less than the minimum", "/v1/quotes", { ...ofSwap, amount: usdc("0.5") }, 422, "below_minimum"],
    ["what is no multiple of the step", "/v1/swaps", { ...swap, amount: usdc("10.25") }, 422, "amount_too_precise"],
    ["what is no multiple of the step", "/v1/quotes", { ...ofSwap, amount: usdc("10.25") }, 422, "amount_too_precise"],
    ["a customer that is none", "/v1/swaps", { ...swap, customer_id: nobody }, 404, "not_found"],
    ["a customer that is none", "/v1/quotes", { ...ofSwap, customer_id: nobody }, 404, "not_found"],
    ["fiat by a withdrawal", "/v1/quotes", { product: "WITHDRAWAL", amount: euros }, 422, "unsupported_asset"],
    ["fiat by a chain payout", "/v1/quotes", { product: "CHAIN_PAYOUT", amount: euros }, 422, "unsupported_asset"]
  ]
  for (const [what, path, body, status, code] of bad) {
    it.effect(`refuses ${what} on ${path} with ${code}, and nothing changes`, () =>
      Effect.gen(function* () {
        const { get, post } = yield* begin()
        const answer = yield* post(path, body)
        assert.deepStrictEqual([answer.status, answer.body.error.code], [status, code])
        assert.deepStrictEqual(yield* available(get), [["USDC_BASE", "1000", "0"]])
        const register = yield* get("/v1/register")
        assert.strictEqual(register.body.entries.length, 1)
      })
    )
  }

  it.effect("refuses a quote for what it did not price", () =>
    Effect.gen(function* () {
      const { post } = yield* begin()
      const quote = yield* post("/v1/quotes", { product: "SWAP", amount: usdc("100"), to_currency: "ETH" })
      const other = yield* post("/v1/swaps", { amount: usdc("101"), to_currency: "ETH", quote_id: quote.body.id })
      assert.deepStrictEqual([other.status, other.body.error.code], [422, "quote_mismatch"])
    })
  )

  it.effect("shows fees in the order applied, and every currency with what is known of it", () =>
    Effect.gen(function* () {
      const { get } = yield* begin()
      const { body: fees } = yield* get("/v1/fees")
      assert.strictEqual(fees.fees.length, 1)
      assert.deepStrictEqual([fees.fees[0].percent, fees.fees[0].minimum_fee], ["1", "0"])
      const { body } = yield* get("/v1/currencies")
      assert.isTrue(body.custodian_read)
      const eth = body.currencies.find(({ code }: { code: string }) => code === "ETH")
      assert.deepStrictEqual([eth.priced, eth.network, eth.custodian_lists], [true, "ethereum", false])
      const bnb = body.currencies.find(({ code }: { code: string }) => code === "BNB")
      assert.isFalse(bnb.priced)
      // nobody tells a price of it, and limits count it: a dollar is a dollar
      assert.isTrue(body.currencies.find(({ code }: { code: string }) => code === "USD").priced)
    })
  )

  it.effect("tells by a quote how a customer's check stands to who may read it alone", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const { id, post } = yield* begin()
      const customer = yield* post("/v1/customers", { external_id: "u1" })
      const body = { product: "SWAP", amount: usdc("5"), to_currency: "ETH", customer_id: customer.body.id }
      const told = yield* post("/v1/quotes", body)
      assert.deepStrictEqual([told.status, told.body.error.code], [422, "customer_not_verified"])
      const key = yield* seeder.key(id, ["quotes:read"])
      const priced = yield* send("POST", "/v1/quotes", { key, body })
      assert.deepStrictEqual([priced.status, priced.body.customer_fee], [200, usdc("0.05")])
      const swap = { amount: body.amount, to_currency: "ETH", customer_id: body.customer_id, quote_id: priced.body.id }
      const { body: refused } = yield* post("/v1/swaps", swap)
      assert.strictEqual(refused.error.code, "customer_not_verified")
    })
  )

  it.effect("asks for customers:read where a swap names a customer", () =>
    Effect.gen(function* () {
      const { seeder, send } = yield* Partner
      const { id } = yield* begin()
      const key = yield* seeder.key(id, ["swaps:write"])
      const body = { amount: usdc("5"), to_currency: "ETH", customer_id: "019845e1-682f-7b02-a706-00000000ffff" }
      const answer = yield* send("POST", "/v1/swaps", { key, body, headers: { "idempotency-key": "scope" } })
      assert.deepStrictEqual([answer.status, answer.body.error.code], [403, "scope_missing"])
    })
  )
})
