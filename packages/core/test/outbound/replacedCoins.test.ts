import { checkTenant } from "@bursar/core/checker/checkTenant"
import { putRecord } from "@bursar/core/engine/Records"
import type { PayoutWallet } from "@bursar/core/outbound/PayoutWallet"
import type { Spend } from "@bursar/core/outbound/Spend"
import { confirmWalletArrivals, recordWalletArrivals, reorgWalletArrivals } from "@bursar/core/outbound/walletArrivals"
import { Books } from "@bursar/core/port/Books"
import type { Coin, Fate } from "@bursar/core/port/ChainSender"
import { Queries } from "@bursar/core/port/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { accepted, booksHold, fated, payer, reserved, signed, spendOf, stateOf, store, submit, usdt } from "./world.ts"

const block = { number: 1, hash: "funding", time: 0 }

/** Coins that have come to a wallet, each of 100,000 satoshi, as they were found. */
const coinsFor = Effect.fnUntraced(function* (
  tenantId: TenantId,
  { address, id, network }: PayoutWallet,
  count: number
) {
  const found = Array.from({ length: count }, (_, transferIndex) => ({
    network,
    txHash: newTxHash(),
    transferIndex,
    walletId: id,
    address,
    paidTo: address,
    memo: null,
    currency: "BTC",
    units: 100_000n,
    fromAddress: null,
    block
  }))
  const all = yield* submit(tenantId, recordWalletArrivals(found))
  const arrivals = yield* submit(tenantId, confirmWalletArrivals(all.map((arrival) => ({ arrival, block }))))
  const coins: ReadonlyArray<Coin> = arrivals.map(({ transferIndex, txHash, units }) => ({
    txHash,
    vout: transferIndex,
    units,
    address
  }))
  return { arrivals, coins, found }
})

/** A spend of some coins for one payout, signed. */
const paying = Effect.fnUntraced(function* (tenantId: TenantId, wallet: PayoutWallet, coins: ReadonlyArray<Coin>) {
  const order = usdt({ network: "bitcoin", currency: "BTC", contract: null, units: 150_000n })
  const operation = yield* accepted(tenantId, { order, fee: { units: 0n, ruleId: null } })
  const spend = yield* reserved(tenantId, wallet, [operation], { _tag: "Coins", coins })
  return { operation, spend: yield* signed(tenantId, spend, newTxHash()) }
})

const replaced = (unspent?: ReadonlyArray<Coin>): Fate => ({
  _tag: "Impossible",
  reason: "replaced_on_chain",
  by: "foreign",
  detail: "",
  ...(unspent === undefined ? {} : { unspent })
})

/** Where the coins stand, and which spend each names. */
const statesOf = Effect.fnUntraced(function* (tenantId: TenantId, coins: ReadonlyArray<Coin>) {
  const all = yield* (yield* Queries).records(tenantId, "WalletCoin")
  return coins.map(({ txHash }) => {
    const coin = all.find((one) => one.txHash === txHash)
    return [coin?.state, coin?.spendId]
  })
})

const first = <A>(all: ReadonlyArray<A>, count: number): ReadonlyArray<A> => all.slice(0, count)

const walletUnits = (tenantId: TenantId) =>
  Effect.map(
    Effect.flatMap(Queries, (queries) => queries.float(tenantId)),
    (balances) => balances.find(({ account, currency }) => account === "chain:bitcoin:payouts" && currency === "BTC")
  )

/** What the checker finds wrong first, by its passes. */
const wrong = Effect.fnUntraced(function* (tenantId: TenantId) {
  const results = yield* (yield* Books).snapshot(tenantId, checkTenant)
  return results.flatMap(({ firstWrong, pass }) => (firstWrong === null ? [] : [`${pass}: ${firstWrong}`]))
})

const rewrite = (tenantId: TenantId, spend: Spend) =>
  submit(
    tenantId,
    writing(() => [putRecord("Spend", spend)])
  )

describe("the coins of a spend that a foreign transaction has replaced", () => {
  it.effect("are free again where the chain has them unspent, spent where it has not, and the books stay", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { coins } = yield* coinsFor(id, wallet, 3)
      const { operation, spend } = yield* paying(id, wallet, coins)
      const before = yield* walletUnits(id)
      for (let again = 0; again < 2; again++) yield* fated(id, spend, replaced(first(coins, 2)))
      assert.deepStrictEqual(yield* statesOf(id, coins), [
        ["FREE", null],
        ["FREE", null],
        ["SPENT", spend.id]
      ])
      assert.strictEqual((yield* stateOf(id, operation.id)).operation.details["failure_reason"], "replaced_on_chain")
      const over = yield* spendOf(id, spend.id)
      assert.strictEqual(over.outcome, "replaced")
      assert.deepStrictEqual(
        over.freed,
        first(coins, 2).map(({ txHash, vout }) => ({ txHash, vout }))
      )
      assert.deepStrictEqual(yield* walletUnits(id), before)
      yield* booksHold(id)
      // and pay the next one
      const next = yield* paying(id, wallet, first(coins, 2))
      assert.deepStrictEqual(yield* statesOf(id, first(coins, 2)), [
        ["RESERVED", next.spend.id],
        ["RESERVED", next.spend.id]
      ])
      yield* booksHold(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("are all spent where it is not known of any", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { coins } = yield* coinsFor(id, wallet, 2)
      const { spend } = yield* paying(id, wallet, coins)
      yield* fated(id, spend, replaced())
      assert.deepStrictEqual(yield* statesOf(id, coins), [
        ["SPENT", spend.id],
        ["SPENT", spend.id]
      ])
      assert.deepStrictEqual((yield* spendOf(id, spend.id)).freed, [])
      yield* booksHold(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("end nothing where all are said to be unspent: then nothing has taken them", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { coins } = yield* coinsFor(id, wallet, 2)
      const { operation, spend } = yield* paying(id, wallet, coins)
      yield* fated(id, spend, replaced(coins))
      const { operation: now, spend: open } = yield* stateOf(id, operation.id)
      assert.deepInclude(now, { status: "PROCESSING", unresolved: true })
      assert.deepInclude(open, { phase: "SIGNED", outcome: null, freed: [] })
      assert.strictEqual(open?.problem, "foreign has taken its coins, and all are unspent.")
      yield* booksHold(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("are free once their block is seen again, where they were left while it was gone", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { arrivals, coins, found } = yield* coinsFor(id, wallet, 2)
      const { spend } = yield* paying(id, wallet, coins)
      const [arrival] = arrivals
      if (arrival === undefined) return assert.fail("nothing came")
      yield* submit(id, reorgWalletArrivals([{ arrival, block }]))
      yield* fated(id, spend, replaced(first(coins, 1)))
      assert.deepStrictEqual((yield* statesOf(id, coins))[0], ["GONE", null])
      const again = yield* submit(id, recordWalletArrivals(first(found, 1)))
      yield* submit(id, confirmWalletArrivals(again.map((one) => ({ arrival: one, block }))))
      assert.deepStrictEqual((yield* statesOf(id, coins))[0], ["FREE", null])
      yield* booksHold(id)
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("are missed by the checker where a spend says otherwise than they do", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { coins } = yield* coinsFor(id, wallet, 2)
      const { spend } = yield* paying(id, wallet, coins)
      yield* fated(id, spend, replaced(first(coins, 1)))
      const over = yield* spendOf(id, spend.id)
      const key = `coin bitcoin|${coins[0]?.txHash}:${coins[0]?.vout}`
      yield* rewrite(id, { ...over, freed: [] })
      assert.deepStrictEqual(yield* wrong(id), [
        `spends: ${key} is FREE and names spend null, the spends say ${spend.id}`
      ])
      yield* rewrite(id, { ...over, outcome: "done" })
      assert.include((yield* wrong(id)).join(), `spend ${spend.id} has given coins back and is not replaced`)
    }).pipe(Effect.provide(store))
  )
})
