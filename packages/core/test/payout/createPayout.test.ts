import { setTenantStatus } from "@bursar/core/access/tenantCommands"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { payoutScope } from "@bursar/core/limit/limitedUsage"
import { usedCents, Usage } from "@bursar/core/limit/Usage"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { PayoutOrder } from "@bursar/core/payout/PayoutOrder"
import { failPayout } from "@bursar/core/payout/deferPayout"
import { Tenants } from "@bursar/core/port/Tenants"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import { Queries } from "@bursar/core/store/Queries"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { keyed, newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant, rewriteKind } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  accepted,
  ledgerHolds,
  withStatus,
  finalOf,
  outside,
  payer,
  refusalOf,
  request,
  reserved,
  signed,
  stateOf,
  store,
  submit,
  usdt,
  walletOf
} from "../payout/world.ts"

const used = Effect.fnUntraced(function* (id: TenantId) {
  const usage = yield* (yield* Queries).record(id, Usage, payoutScope)
  return usedCents(usage, 86_400_000, yield* Clock.currentTimeMillis)
})

/** Pays an address through to its end. */
const paid = Effect.fnUntraced(function* (
  id: TenantId,
  walletId: string,
  hash: string,
  memo: PayoutOrder["memo"] = null
) {
  const operation = yield* accepted(id, { order: usdt({ units: 1_000_000n, memo }) })
  const transaction = yield* signed(id, yield* reserved(id, yield* walletOf(id, walletId), [operation]), hash)
  yield* withStatus(id, transaction, finalOf(hash))
})

describe("a memo", () => {
  it.effect("names a receiver of its own, who is new though the address that many share was paid long ago", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({ payoutNewAddressLimitUsd: "50", payoutReviewUsd: null })
      const to = (value: string | null) =>
        refusalOf(id, { order: usdt({ memo: value === null ? null : { type: "id", value } }) })
      yield* paid(id, wallet.id, "0xd1", { type: "id", value: "1" })
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(yield* to("2"), "new_address_limit_exceeded")
      assert.strictEqual(yield* to(null), "new_address_limit_exceeded")
      assert.strictEqual(yield* to("1"), "accepted")
    }).pipe(Effect.provide(store))
  )
})

describe("accepting a chain payout", () => {
  it.effect("is refused where the request names another tenant", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      assert.strictEqual(yield* refusalOf(id, { tenant: "somebody" }), "tenant_mismatch")
      assert.notStrictEqual(yield* refusalOf(id, { tenant: id.toUpperCase() }), "tenant_mismatch")
      assert.strictEqual(yield* refusalOf(id, { tenant: id }), "accepted")
      const { slug } = (yield* (yield* Tenants).byId(id)) ?? assert.fail("there is no tenant")
      assert.strictEqual(yield* refusalOf(id, { tenant: slug }), "accepted")
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused where payouts are off: by the service, the tenant, the network, or for want of a wallet", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      assert.strictEqual(yield* refusalOf(id, { switchedOff: "maintenance" }), "payouts_disabled")
      const order = usdt({ network: "tron", currency: "USDT_TRON" })
      assert.strictEqual(yield* refusalOf(id, { order }), "payouts_disabled")
      assert.strictEqual(yield* refusalOf((yield* payer({ payoutsEnabled: false })).id), "payouts_disabled")
      assert.strictEqual(yield* refusalOf((yield* payer({ payoutsOffOn: ["ethereum"] })).id), "payouts_disabled")
      assert.strictEqual(yield* refusalOf((yield* payer({ payoutsOffOn: ["bsc"] })).id), "accepted")
      yield* submit(id, setTenantStatus("SUSPENDED"))
      assert.strictEqual(yield* refusalOf(id), "payouts_disabled")
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused on a network of another environment, and in a currency that is not known", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      assert.strictEqual(yield* refusalOf(id, { order: usdt({ currency: "NONE" }) }), "unsupported_asset")
      yield* submit(id, rewriteKind("SANDBOX"))
      assert.strictEqual(yield* refusalOf(id), "product_not_enabled")
    }).pipe(Effect.provide(store))
  )

  it.effect("pays from the payout wallet: the accounts that lend their numbers are none", () =>
    Effect.gen(function* () {
      const { id } = yield* newTenant({ policy: defaultPolicy })
      yield* submit(
        id,
        adjustFloat({ amount: of(10n ** 9n, "USDT_ETH"), against: "chain:ethereum:payouts", reason: "funded" })
      )
      const channel = (index: number) =>
        addWallet(
          { network: "ethereum", role: "CHANNEL", seedId: "seed", index, ...keyed(newEvmAddress()) },
          presetNetworks
        )
      for (const index of [1, 2, 3]) yield* submit(id, channel(index))
      assert.strictEqual(yield* refusalOf(id), "payouts_disabled")
      const wallet = yield* submit(
        id,
        addWallet(
          { network: "ethereum", role: "PAYOUT", seedId: "seed", index: 0, ...keyed(newEvmAddress()) },
          presetNetworks
        )
      )
      for (const index of [4, 5, 6]) yield* submit(id, channel(index))
      assert.strictEqual((yield* accepted(id)).details.from_address, wallet.address)
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused to the tenant's own addresses, also on a network where the same key has them", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const { id: other } = yield* payer({}, "bsc")
      const here = yield* newAddress(id)
      const sibling = yield* newAddress(id, "base")
      const theirs = yield* newAddress(other)
      for (const to of [wallet.address, here.address, sibling.address]) {
        assert.strictEqual(yield* refusalOf(id, { order: usdt({ to }) }), "address_is_ours")
      }
      const part = { order: usdt({ to: `${here.address}#7` }), account: here.address }
      assert.strictEqual(yield* refusalOf(id, part), "address_is_ours")
      assert.strictEqual(yield* refusalOf(id, { order: usdt({ to: theirs.address }) }), "accepted")
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused without a fresh price where any limit applies, and needs none where there is none", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      assert.strictEqual(yield* refusalOf(id, { usd: null }), "price_unavailable")
      const { usd } = yield* request()
      yield* TestClock.adjust("6 minutes")
      assert.strictEqual(yield* refusalOf(id, { usd }), "price_unavailable")
      const free = yield* payer({
        payoutLimitUsd: null,
        payoutDailyLimitUsd: null,
        payoutNewAddressLimitUsd: null,
        payoutReviewUsd: null
      })
      const operation = yield* accepted(free.id, { usd: null })
      assert.isNull(operation.details.usd_cents)
      for (const one of ["payoutLimitUsd", "payoutDailyLimitUsd", "payoutNewAddressLimitUsd", "payoutReviewUsd"]) {
        const limits = {
          payoutLimitUsd: null,
          payoutDailyLimitUsd: null,
          payoutNewAddressLimitUsd: null,
          payoutReviewUsd: null
        }
        const limited = yield* payer({ ...limits, [one]: "1000" })
        assert.strictEqual(yield* refusalOf(limited.id, { usd: null }), "price_unavailable", one)
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps the limit per payout, to the cent", () =>
    Effect.gen(function* () {
      const { id } = yield* payer({ payoutLimitUsd: "100" })
      assert.strictEqual(yield* refusalOf(id, { order: usdt({ units: 100_010_000n }) }), "payout_limit_exceeded")
      assert.strictEqual(yield* refusalOf(id), "accepted")
      assert.strictEqual(yield* used(id), 10_000n)
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps the rolling daily limit, and gives back what failed", () =>
    Effect.gen(function* () {
      const { id } = yield* payer({ payoutDailyLimitUsd: "250" })
      const first = yield* accepted(id)
      yield* accepted(id)
      assert.strictEqual(yield* refusalOf(id), "daily_limit_exceeded")
      const { payout } = yield* stateOf(id, first.id)
      yield* submit(id, failPayout({ payout, reason: "destination_invalid", currencies: defaultCurrencies }))
      assert.strictEqual(yield* used(id), 10_000n)
      assert.strictEqual(yield* refusalOf(id), "accepted")
      assert.strictEqual(yield* refusalOf(id), "daily_limit_exceeded")
      yield* TestClock.adjust("24 hours")
      assert.strictEqual(yield* refusalOf(id), "daily_limit_exceeded", "what is partly in the window counts whole")
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(yield* refusalOf(id), "accepted")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps the limit on new addresses, over all of them, until a day after each was first paid", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({ payoutNewAddressLimitUsd: "150" })
      yield* accepted(id)
      const other = usdt({ to: "0x00000000000000000000000000000000000000F1" })
      assert.strictEqual(yield* refusalOf(id, { order: other }), "new_address_limit_exceeded")
      assert.strictEqual(yield* refusalOf(id), "new_address_limit_exceeded", "accepted is not paid")
      yield* TestClock.adjust("25 hours")
      yield* paid(id, wallet.id, "0xfirst")
      yield* accepted(id)
      assert.strictEqual(yield* refusalOf(id), "new_address_limit_exceeded", "paid less than a day ago")
      yield* TestClock.adjust("25 hours")
      for (let more = 0; more < 3; more++) assert.strictEqual(yield* refusalOf(id), "accepted", "an old acquaintance")
      // that it is paid again does not make it new
      yield* paid(id, wallet.id, "0xsecond")
      for (let more = 0; more < 2; more++) assert.strictEqual(yield* refusalOf(id), "accepted", "still an old one")
      assert.strictEqual(yield* refusalOf(id, { order: other }), "accepted")
      assert.strictEqual(yield* refusalOf(id, { order: other }), "new_address_limit_exceeded")
      assert.strictEqual((yield* accepted(id)).details.new_address, false)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is refused where the float does not cover amount and fee, and holds nothing then", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const order = usdt({ units: 1_000_000_000n })
      assert.strictEqual(yield* refusalOf(id, { order }), "insufficient_balance")
      assert.strictEqual(yield* refusalOf(id, { order, defaultFees: [] }), "accepted")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("charges by the rule for chain payouts on the network", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const defaultFees = [
        flatFee(1n, 6, { product: "WITHDRAWAL" }),
        flatFee(2n, 6, { rail: "base" }),
        flatFee(3n, 6, { product: "CHAIN_PAYOUT", rail: "ethereum", priority: 9 })
      ]
      assert.strictEqual((yield* accepted(id, { defaultFees })).customerFee.units, 3n)
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps the memo of its receiver", () =>
    Effect.gen(function* () {
      const { id } = yield* payer()
      const { details } = yield* accepted(id, { order: usdt({ memo: { type: "id", value: "42" } }) })
      assert.deepStrictEqual(details.destination, { address: outside, memo: "42", memo_type: "id" })
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps what it was worth and who asked for it", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer()
      const operation = yield* accepted(id, { defaultFees: [flatFee(5n, 6, { id: "rule" })] })
      assert.deepInclude(operation.details, { usd_cents: "10000", new_address: true, fee_rule: "rule", review: null })
      assert.deepStrictEqual(operation.details.destination, { address: outside, memo: null, memo_type: null })
      assert.strictEqual(operation.details.from_address, wallet.address)
      assert.deepInclude(operation.details.signature, { keyid: "k" })
    }).pipe(Effect.provide(store))
  )
})
