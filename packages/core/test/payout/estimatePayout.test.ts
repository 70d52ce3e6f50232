import { payoutScope } from "@bursar/core/limit/limitedUsage"
import { of } from "@bursar/core/money/Amount"
import type { Currency } from "@bursar/core/money/Currency"
import { defaultCurrencies as currencies } from "@bursar/core/money/defaultCurrencies"
import type { Rate } from "@bursar/core/money/Rate"
import { type EstimatePayout, estimatePayout } from "@bursar/core/payout/estimatePayout"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import type { PayoutWallet, WalletRole } from "@bursar/core/transaction/PayoutWallet"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"

const now = 1_700_000_000_000
const dayMs = 86_400_000

const currencyOf = (code: string): Currency => currencies.byCode(code) ?? assert.fail(`there is no ${code}`)

const priced = (dollars: bigint, observedAt = now): Rate => ({
  price: { units: dollars, decimals: 0 },
  source: "test",
  observedAt
})

const wallet = (role: WalletRole): PayoutWallet => ({
  id: role,
  network: "ethereum",
  role,
  address: `0x${role}`,
  seedId: "seed",
  custodied: null,
  index: 0,
  nextSequence: null,
  nextSalt: 1,
  openTransactions: 0,
  committed: [],
  createdAt: now
})

/** 100 USDT on ethereum for a fee of one, where a dollar token is worth two dollars and the network takes a thousandth ETH of 2,000 dollars. */
const estimate = (more: Partial<EstimatePayout> = {}) =>
  estimatePayout({
    tenant: tenantRecord(now, { policy: { ...defaultPolicy, payoutLimitUsd: "1000" } }),
    network: "ethereum",
    currency: currencyOf("USDT_ETH"),
    units: 100_000_000n,
    wallets: [wallet("PAYOUT")],
    switchedOff: null,
    fees: { own: [], defaults: [flatFee(1_000_000n, 6)], now },
    usage: undefined,
    usd: new Map([
      ["USDT_ETH", priced(2n)],
      ["ETH", priced(2_000n)]
    ]),
    networkFee: of(10n ** 15n, "ETH"),
    native: currencyOf("ETH"),
    currencies,
    ...more
  })

describe("the estimate of a payout", () => {
  it("says what it costs, in its currency and in dollars", () => {
    assert.deepInclude(estimate(), {
      fee: of(1_000_000n, "USDT_ETH"),
      feeUsd: 200n,
      networkFeeUsd: 200n,
      totalUsd: 20_200n,
      usdUnavailable: [],
      offReason: null,
      dailyUsed: 0n
    })
  })

  it("charges by the rule for payouts on the network", () => {
    const rule = (units: bigint, more: Parameters<typeof flatFee>[2]) => flatFee(units, 6, more)
    const defaults = [
      rule(1n, { product: "WITHDRAWAL" }),
      rule(2n, { rail: "base" }),
      rule(3n, { currency: "ETH" }),
      rule(4n, { product: "CHAIN_PAYOUT", rail: "ethereum", currency: "USDT_ETH", priority: 9 })
    ]
    assert.strictEqual(estimate({ fees: { own: [], defaults, now } }).fee.units, 4n)
  })

  it("names the currencies whose price is missing or old, each once, and says no figure that needs them", () => {
    const price = (code: string, rate: Rate): EstimatePayout["usd"] => new Map([[code, rate]])
    assert.deepInclude(estimate({ usd: price("ETH", priced(2_000n)) }), {
      feeUsd: null,
      networkFeeUsd: 200n,
      totalUsd: null,
      usdUnavailable: ["USDT_ETH"]
    })
    assert.deepInclude(estimate({ usd: price("USDT_ETH", priced(2n)) }), {
      feeUsd: 200n,
      networkFeeUsd: null,
      totalUsd: 20_200n,
      usdUnavailable: ["ETH"]
    })
    const old = new Map([
      ["USDT_ETH", priced(2n, now - dayMs)],
      ["ETH", priced(2_000n, now - dayMs)]
    ])
    assert.deepStrictEqual(estimate({ usd: old }).usdUnavailable, ["USDT_ETH", "ETH"])
    const native = estimate({ currency: currencyOf("ETH"), usd: new Map() })
    assert.deepStrictEqual(native.usdUnavailable, ["ETH"])
    assert.deepStrictEqual(
      estimate({ networkFee: null }).usdUnavailable,
      ["ETH"],
      "what the network takes is not known"
    )
  })

  it("says why none could be made: the network is not the tenant's, payouts are off, or there is no wallet", () => {
    const tenant = tenantRecord(now)
    const why = (more: Partial<EstimatePayout>) => estimate(more).offReason
    assert.match(why({ tenant: { ...tenant, kind: "SANDBOX" } }) ?? "", /SANDBOX/u)
    assert.match(why({ tenant: { ...tenant, status: "SUSPENDED" } }) ?? "", /SUSPENDED/u)
    assert.strictEqual(why({ switchedOff: "maintenance" }), "maintenance")
    assert.isNotNull(why({ wallets: [wallet("CHANNEL")] }))
    assert.isNull(why({ wallets: [wallet("CHANNEL"), wallet("PAYOUT")] }))
  })

  it("tells the limits, and what counts in them", () => {
    const buckets = [
      { from: now - 2 * dayMs, cents: 1n },
      { from: now - 1_000, cents: 500n }
    ]
    const told = estimate({ usage: { scope: payoutScope, buckets } })
    assert.strictEqual(told.dailyUsed, 500n)
    assert.strictEqual(told.limits.perPayout, 100_000n)
  })
})
