import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import {
  charge,
  codeOf,
  estimateOf,
  moment,
  money,
  startPayoutService,
  path,
  receiver,
  test,
  unlimited,
  baseRequest
} from "./support/PayoutService.ts"

describe("the estimate of a chain payout", () => {
  test("tells every figure of the contract where all is known, and writes nothing", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const { books, kept, pay, wallet } = service
      yield* charge(service)
      yield* pay({ ...baseRequest, amount: money("250.5") })
      const before = [books(), kept()]
      const { body, status } = yield* estimateOf(
        service,
        `network=ethereum&currency=USDT_ETH&amount=100.25&address=${receiver}`
      )
      assert.strictEqual(status, 200)
      const { estimated_at, ...rest } = body
      assert.match(estimated_at, moment)
      assert.deepStrictEqual(rest, {
        network: "ethereum",
        currency: "USDT_ETH",
        amount: money("100.25"),
        fee: money("1.0025"),
        fee_usd: "1.00",
        network_fee: money("0.001", "ETH"),
        network_fee_usd: "2.00",
        network_fee_charged_to_you: false,
        recipient_holds_asset: true,
        assumed_worst_case: false,
        total_usd: "101.25",
        usd_unavailable: [],
        payouts_enabled: true,
        payouts_disabled_reason: null,
        limits: {
          per_payout_usd: "25000.00",
          daily_usd: "100000.00",
          daily_used_usd: "250.50",
          new_address_daily_usd: "10000.00",
          review_at_or_above_usd: "10000.00"
        }
      })
      assert.deepStrictEqual(world.asked.estimates, [
        {
          from: wallet,
          to: receiver.toLowerCase(),
          contract: defaultCurrencies.byCode("USDT_ETH")?.asset?.contract ?? null,
          units: 100_250_000n
        }
      ])
      assert.deepStrictEqual([books(), kept()], before)
    }))

  test("takes the network's coin where no currency is named, and the currency's network where no network is", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const coin = yield* estimateOf(service, "network=ethereum&amount=0.5")
      assert.deepInclude(coin.body, {
        currency: "ETH",
        amount: money("0.5", "ETH"),
        fee: money("0", "ETH"),
        fee_usd: "0.00",
        total_usd: "1000.00"
      })
      const token = yield* estimateOf(service, "currency=USDT_ETH&amount=7")
      assert.deepInclude(token.body, { network: "ethereum", currency: "USDT_ETH" })
      assert.deepStrictEqual(
        world.asked.estimates.map(({ to }) => to),
        [null, null]
      )
    }))

  test("needs nothing to be named: the network is one to pay on, the amount nothing, and the node is asked for the least", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService({ wallets: ["stellar"] })
      yield* charge(service)
      const nothing = yield* estimateOf(service, "")
      assert.strictEqual(nothing.status, 200, nothing.text)
      assert.deepInclude(nothing.body, { network: "stellar", currency: "XLM", amount: money("0", "XLM") })
      assert.deepInclude(nothing.body, { fee: money("0", "XLM"), payouts_enabled: true })
      const nowhere = yield* startPayoutService({ wallets: [] })
      assert.deepInclude((yield* estimateOf(nowhere, "amount=1")).body, { network: "ethereum", payouts_enabled: false })
      // the fee that is charged whatever the amount is half a dollar
      const token = yield* estimateOf(service, `currency=USDT_ETH&address=${receiver}`)
      assert.deepInclude(token.body, { amount: money("0"), fee: money("0.5"), total_usd: "0.50" })
      assert.deepInclude(token.body, { network_fee: money("0.001", "ETH"), recipient_holds_asset: true })
      assert.deepStrictEqual(
        world.asked.estimates.map(({ units }) => units),
        [1n, 10n ** 18n, 1n]
      )
    }))

  test("is null with the currency named in each place where something is unknown", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const ask = (query = "currency=USDT_ETH&amount=100") => Effect.map(estimateOf(service, query), ({ body }) => body)
      const known = { fee_usd: "0.00", total_usd: "100.00" }
      const unknown = { fee_usd: null, total_usd: null }

      world.usd = { ETH: 2_000n }
      const unpriced = { ...unknown, network_fee_usd: "2.00", usd_unavailable: ["USDT_ETH"] }
      assert.deepInclude(yield* ask(), unpriced)

      world.usd = { USDT_ETH: 1n }
      const withoutCoin = { ...known, network_fee: money("0.001", "ETH"), network_fee_usd: null }
      assert.deepInclude(yield* ask(), { ...withoutCoin, usd_unavailable: ["ETH"] })

      world.usd = {}
      assert.deepInclude(yield* ask(), { ...unknown, network_fee_usd: null, usd_unavailable: ["USDT_ETH", "ETH"] })
      const inCoin = yield* ask("currency=ETH&amount=1")
      assert.deepInclude(inCoin, { ...unknown, network_fee_usd: null, usd_unavailable: ["ETH"] })

      // with a price that is too old the payout would be refused
      world.usd = { USDT_ETH: 1n, ETH: 2_000n }
      world.priceAgeMs = 360_000
      assert.deepInclude(yield* ask(), { ...unknown, network_fee_usd: null, usd_unavailable: ["USDT_ETH", "ETH"] })
      world.priceAgeMs = 0

      world.estimate = { fee: null, recipientHoldsAsset: null, assumedWorstCase: false }
      const noFee = { network_fee: null, network_fee_usd: null, recipient_holds_asset: null, assumed_worst_case: false }
      assert.deepInclude(yield* ask(), { ...known, ...noFee, usd_unavailable: ["ETH"] })

      world.usd = { USDC_BASE: 1n, ETH_BASE: 2_000n }
      const noNode = yield* ask("currency=USDC_BASE&amount=100")
      assert.deepInclude(noNode, { ...known, ...noFee, network: "base", usd_unavailable: ["ETH_BASE"] })
    }))

  test("says whether the receiver holds the asset, and where the dearer case was taken", (world) =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      for (const recipientHoldsAsset of [true, false, null]) {
        for (const assumedWorstCase of [true, false]) {
          world.estimate = { fee: 1n, recipientHoldsAsset, assumedWorstCase }
          const { body } = yield* estimateOf(service, `currency=USDT_ETH&amount=1&address=${receiver}`)
          assert.deepInclude(body, {
            recipient_holds_asset: recipientHoldsAsset,
            assumed_worst_case: assumedWorstCase,
            network_fee: money("0.000000000000000001", "ETH"),
            network_fee_usd: "0.00"
          })
        }
      }
    }))

  test("shows no limit as null, and what was used of none", () =>
    Effect.gen(function* () {
      const free = yield* startPayoutService({ policy: unlimited })
      const { body } = yield* estimateOf(free, "currency=USDT_ETH&amount=1")
      assert.deepStrictEqual(body.limits, {
        per_payout_usd: null,
        daily_usd: null,
        daily_used_usd: "0.00",
        new_address_daily_usd: null,
        review_at_or_above_usd: null
      })
      const cents = yield* startPayoutService({
        policy: { ...unlimited, payoutLimitUsd: "0.5", payoutReviewUsd: "10.05" }
      })
      const { body: shown } = yield* estimateOf(cents, "currency=USDT_ETH&amount=1")
      assert.deepInclude(shown.limits, { per_payout_usd: "0.50", review_at_or_above_usd: "10.05" })
    }))

  test(
    "says why nothing would be paid, in the words in which a payout is refused",
    () =>
      Effect.gen(function* () {
        const refusals = [
          ["Chain payouts are off for the tenant.", { policy: { payoutsEnabled: false } }],
          ["Chain payouts on ethereum are off for the tenant.", { policy: { payoutsOffOn: ["ethereum"] } }],
          ["The tenant has no payout wallet on ethereum.", { wallets: [] }]
        ] as const
        for (const [reason, options] of refusals) {
          const service = yield* startPayoutService(options)
          const { body } = yield* estimateOf(service, "currency=USDT_ETH&amount=1")
          assert.deepInclude(body, { payouts_enabled: false, payouts_disabled_reason: reason })
          const before = service.books()
          const refused = yield* service.pay(baseRequest)
          assert.deepStrictEqual([...codeOf(refused), refused.body.error.message], [422, "payouts_disabled", reason])
          assert.deepStrictEqual(service.books(), before)
        }
        const service = yield* startPayoutService({ policy: { payoutsOffOn: ["stellar"] } })
        const on = yield* estimateOf(service, "currency=USDT_ETH&amount=1")
        assert.deepInclude(on.body, { payouts_enabled: true, payouts_disabled_reason: null })
        const off = yield* estimateOf(service, "currency=BNB&amount=1")
        assert.deepInclude(off.body, {
          payouts_enabled: false,
          payouts_disabled_reason: "Chain payouts on bsc are switched off."
        })
      }),
    { payoutsOff: ["bsc"] }
  )

  test("asks a tenant that is suspended for nothing but to be active again", () =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const { body } = yield* service.pay(baseRequest)
      yield* service.seeder.submit(service.tenant, setTenantStatus("SUSPENDED"))
      const before = [service.books(), service.kept()]
      const answers = [
        yield* service.pay(baseRequest),
        yield* service.get(`${path}/${body.id}`),
        yield* estimateOf(service, "currency=ETH&amount=1")
      ]
      for (const answer of answers) assert.deepStrictEqual(codeOf(answer), [403, "tenant_suspended"])
      assert.deepStrictEqual([service.books(), service.kept()], before)
    }))

  const bad: ReadonlyArray<readonly [string, string, string]> = [
    ["an amount that is empty", "currency=ETH&amount=", "amount_invalid"],
    ["a currency that exists nowhere", "currency=DOGE", "unsupported_asset"],
    ["a currency that is on no network", "currency=EUR", "unsupported_asset"],
    ["a currency whose network is switched off", "currency=TRX", "unknown_network"],
    ["a receiver that is none of an amount that is not named", "currency=ETH&address=nobody", "address_invalid"],
    ["a network that does not exist", "network=dogecoin&amount=1", "unknown_network"],
    ["a network that is switched off", "network=tron&currency=TRX&amount=1", "unknown_network"],
    ["a name of a network that is too long", `network=${"n".repeat(21)}&amount=1`, "invalid_request"],
    ["a currency that does not exist", "network=ethereum&currency=DOGE&amount=1", "unsupported_asset"],
    ["a currency of another network", "network=ethereum&currency=USDC_BASE&amount=1", "unsupported_asset"],
    ["fiat", "network=ethereum&currency=EUR&amount=1", "unsupported_asset"],
    ["nothing to pay", "currency=ETH&amount=0", "amount_invalid"],
    ["less than nothing", "currency=ETH&amount=-1", "amount_invalid"],
    ["an exponent", "currency=ETH&amount=1e3", "amount_invalid"],
    ["more decimals than there are", "currency=USDT_ETH&amount=0.0000001", "amount_too_precise"],
    ["a receiver that is none", "currency=ETH&amount=1&address=nobody", "address_invalid"],
    [
      "the contract of an asset as a receiver",
      "currency=ETH&amount=1&address=0xdAC17F958D2ee523a2206206994597C13D831ec7",
      "address_invalid"
    ]
  ]
  test("refuses what it cannot estimate, each for its own reason", () =>
    Effect.gen(function* () {
      const service = yield* startPayoutService()
      const before = [service.books(), service.kept()]
      for (const [what, query, code] of bad)
        assert.deepStrictEqual(codeOf(yield* estimateOf(service, query)), [422, code], what)
      assert.deepStrictEqual([service.books(), service.kept()], before)
    }))
})
