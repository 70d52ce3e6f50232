import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import type { Deposit } from "@bursar/core/deposit/Deposit"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import type { Command } from "@bursar/core/engine/Command"
import { type Account, isAsset } from "@bursar/core/ledger/Account"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import { isWithProvider } from "@bursar/core/operation/assetPlace"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { reservePayouts } from "@bursar/core/payout/reservePayouts"
import { LedgerSnapshot, type TenantLedger } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { createSwap } from "@bursar/core/swap/createSwap"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import { defaultPolicy, type TenantId } from "@bursar/core/tenant/Tenant"
import { flatFee } from "@bursar/testkit/fixtures/fees"
import { accountAt, keyed, keysAt, newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Result, Stream } from "effect"
import fc from "fast-check"
import { create, withStatus, finalOf, next, signed, store, submit, usdt, walletOf } from "../payout/world.ts"
import { Payout } from "@bursar/core/payout/Payout"
import { AssetReservation } from "@bursar/core/operation/AssetReservation"

const places = ["custodian", "bank", "chain:ethereum:payouts", "chain:ethereum:deposits", "suspense"] as const

const units = fc.bigInt({ min: 1n, max: 50n })

/** Something that happens; what it names is taken around the corner where there is less. */
type Step =
  | { readonly _tag: "Arrive"; readonly to: number; readonly from: number | null; readonly units: bigint }
  | { readonly _tag: "Reorg" | "Begin" | "Settle" | "Refuse" | "Send" | "Land"; readonly which: number }
  | { readonly _tag: "Swap" | "Pay" | "Take"; readonly units: bigint }
  | { readonly _tag: "Move"; readonly from: Account; readonly to: Account; readonly units: bigint }

const which = fc.nat({ max: 5 })
const place = fc.constantFrom<Account>(...places)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ _tag: fc.constant("Arrive" as const), to: which, from: fc.option(which), units })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constantFrom("Reorg" as const, "Refuse" as const), which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      _tag: fc.constantFrom("Begin" as const, "Settle" as const, "Send" as const, "Land" as const),
      which
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({ _tag: fc.constantFrom("Swap" as const, "Pay" as const, "Take" as const), units })
  },
  { weight: 2, arbitrary: fc.record({ _tag: fc.constant("Move" as const), from: place, to: place, units }) }
)

const everything = Effect.fnUntraced(function* ({ balances, legs, operations }: TenantLedger) {
  return { balances, legs: yield* Stream.runCollect(legs), operations: yield* Stream.runCollect(operations) }
})

/** A tenant with two addresses of its own, one that the service issued, and a payout wallet. */
const world = Effect.gen(function* () {
  const { id } = yield* newTenant({ policy: { ...defaultPolicy, payoutLimitUsd: null } })
  const seedId = crypto.randomUUID()
  const wallet = { network: "ethereum", role: "PAYOUT", seedId, index: 0, ...keyed(newEvmAddress()) } as const
  const { id: walletId } = yield* submit(id, addWallet(wallet, presetNetworks))
  const prederived = {
    seedId: crypto.randomUUID(),
    ...accountAt(`account-${id}`),
    from: 0,
    addresses: [keyed(newEvmAddress())]
  }
  const issuing = issueAddresses({ network: "ethereum", reference: "i", count: 1, prederived }, presetNetworks)
  const { addresses } = yield* submit(id, issuing)
  return { id, walletId, addresses: [yield* newAddress(id), yield* newAddress(id), ...addresses] }
})

const around = <A>(all: ReadonlyArray<A>, at: number): A | undefined => all[at % Math.max(1, all.length)]

const live = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const { addresses, id, walletId } = yield* world
  const { snapshot } = yield* LedgerSnapshot
  const queries = yield* Queries
  const deposits: Array<Deposit> = []
  const swaps: Array<string> = []
  const payouts: Array<string> = []
  const transactions: Array<OutboundTransaction> = []

  /** Carries out what may be refused; a bug is none of that, and fails the test. */
  const attempt = <A>(command: Command<A>) =>
    Effect.map(Effect.result(submit(id, command)), (done) => (Result.isSuccess(done) ? done.success : undefined))

  const arrived = Effect.fnUntraced(function* (to: DepositAddress, from: string | null, amount: bigint) {
    const block = { number: 1_000, hash: newTxHash(), time: to.createdAt + 60_000 }
    const { address, id: addressId, network } = to
    const at = { network, txHash: newTxHash(), transferIndex: 0, addressId, address, keys: keysAt(address) }
    const incomingTransfers = [
      { ...at, currency: "USDT_ETH", units: amount, fromAddress: from, block, confirmations: 1 }
    ]
    const found = yield* submit(
      id,
      recordIncomingTransfers({ network: to.network, requiredConfirmations: 1, incomingTransfers }, defaultCurrencies)
    )
    const deep = found.map((deposit) => ({ deposit, blockHash: block.hash, confirmations: 1 }))
    deposits.push(...(yield* submit(id, confirmDeposits(deep, defaultCurrencies, nothingUndecided))))
  })

  const swap = (amount: bigint, observedAt: number) =>
    createSwap({
      madeBy: "maker",
      amount: of(amount, "USDT_ETH"),
      toCurrency: "BTC",
      customerId: null,
      quoteId: null,
      partnerReference: null,
      provider: { name: "fake", environment: "LIVE" },
      pair: { minimum: null, step: null },
      rate: { price: { units: 1n, decimals: 0 }, source: "test", observedAt },
      defaultFees: [],
      currencies: defaultCurrencies
    })

  const custody = Effect.fnUntraced(function* (at: number, answer: "Settle" | "Refuse") {
    const operation = yield* queries.operation(id, around(swaps, at) ?? "")
    if (operation === undefined || !isWithProvider(operation)) return
    const received = of(operation.amount.units, "BTC")
    const settled = { _tag: "Settled", providerReference: operation.id, received } as const
    yield* submit(
      id,
      recordSwap({
        operation,
        answer: answer === "Settle" ? { _tag: "Done", value: settled } : { _tag: "Refused", reason: "no" },
        currencies: defaultCurrencies
      })
    )
  })

  const play = Effect.fnUntraced(function* (one: Step) {
    switch (one._tag) {
      case "Arrive": {
        const to = around(addresses, one.to)
        const from = one.from === null ? undefined : around(addresses, one.from)
        if (to !== undefined && to !== from) yield* arrived(to, from?.address ?? null, one.units)
        return
      }
      case "Reorg": {
        const deposit = around(deposits, one.which)
        if (deposit === undefined) return
        yield* submit(id, reorgDeposits([{ deposit, blockHash: deposit.block?.hash ?? null }], defaultCurrencies))
        return
      }
      case "Swap": {
        const made = yield* attempt(swap(one.units, yield* Clock.currentTimeMillis))
        if (made !== undefined) swaps.push(made.id)
        return
      }
      case "Pay": {
        const { operation } = yield* create(id, { order: usdt({ units: one.units }), defaultFees: [flatFee(1n, 6)] })
        if (operation !== undefined) payouts.push(operation.id)
        return
      }
      case "Take":
        yield* attempt(adjustFloat({ amount: of(-one.units, "USDT_ETH"), against: "custodian", reason: "taken" }))
        return
      case "Move": {
        const { from, to: against } = one
        yield* attempt(adjustFloat({ amount: of(one.units, "USDT_ETH"), from, against, reason: "moved" }))
        return
      }
      case "Begin": {
        const read = yield* queries.operation(id, around(swaps, one.which) ?? "")
        if (read !== undefined) yield* submit(id, beginCustody(read, { name: "fake", environment: "LIVE" }))
        return
      }
      case "Settle":
      case "Refuse":
        yield* custody(one.which, one._tag)
        return
      case "Send": {
        const found = yield* Effect.forEach(payouts, (operationId) => queries.record(id, Payout, operationId))
        const held = found
          .filter((payout) => payout !== undefined)
          .filter(({ transactionId }) => transactionId === null)
        const wallet = yield* walletOf(id, walletId)
        const transaction = yield* submit(
          id,
          reservePayouts({ wallet, payouts: held, guard: next(wallet) }, presetNetworks)
        )
        if (transaction !== null) transactions.push(yield* signed(id, transaction, `hash-${transactions.length}`))
        return
      }
      case "Land": {
        const transaction = around(transactions, one.which)
        if (transaction !== undefined) yield* withStatus(id, transaction, finalOf(transaction.hashes[0] ?? ""))
        return
      }
    }
  })

  const check = Effect.fnUntraced(function* (tenantId: TenantId) {
    const { balances, legs, operations } = yield* snapshot(tenantId, everything)
    for (const { account, currency, units: there } of balances)
      assert.isTrue(!isAsset(account) || there >= 0n, `${account} has ${there} ${currency}`)
    // what is sent was there, and stayed there until it left: only a deposit that is taken back can be short
    for (const { account, currency, units: there } of balances)
      if (account === "suspense:custodian" || account === "suspense:chain:ethereum:payouts")
        assert.strictEqual(there, 0n, `${account} ${currency}`)
    const sums = new Map<string, bigint>()
    for (const { currency, direction, postingSeq, units: moved } of legs) {
      const key = `${postingSeq} ${currency}`
      sums.set(key, (sums.get(key) ?? 0n) + (direction === "DEBIT" ? moved : -moved))
    }
    for (const [posting, sum] of sums) assert.strictEqual(sum, 0n, `posting ${posting}`)
    const open = operations.filter(isWithProvider).reduce((sum, { amount }) => sum + amount.units, 0n)
    const reserved = yield* queries.records(tenantId, AssetReservation, "custodian")
    assert.strictEqual(
      reserved.reduce((sum, one) => sum + one.units, 0n),
      open,
      "what is reserved at the custodian is what is in flight there"
    )
  })

  const at = Effect.fnUntraced(function* (account: Account) {
    const found = yield* snapshot(id, ({ balances }) => Effect.succeed(balances))
    return found.find((one) => one.account === account && one.currency === "USDT_ETH")?.units ?? 0n
  })

  yield* submit(id, adjustFloat({ amount: of(60n, "USDT_ETH"), against: "chain:ethereum:payouts", reason: "funded" }))
  yield* submit(id, adjustFloat({ amount: of(60n, "USDT_ETH"), against: "custodian", reason: "funded" }))
  const gas = of(1_000_000n, "ETH")
  yield* submit(id, adjustFloat({ amount: gas, against: "chain:ethereum:payouts", reason: "gas" }))
  for (const one of steps) {
    const before = { available: yield* at("float:available"), own: yield* at("chain:ethereum:tenant") }
    yield* play(one)
    yield* check(id)
    if (one._tag !== "Swap" && one._tag !== "Pay" && one._tag !== "Take") continue
    const spent = before.available - (yield* at("float:available"))
    assert.isTrue(spent === 0n || spent <= before.available - before.own, "more was spent than is backed")
  }
})

it("no place falls below zero, nothing is spent beyond what is backed, and every posting balances, whatever happens", () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) =>
      Effect.runPromise(Effect.provide(live(steps), store))
    ),
    { numRuns: 150 }
  ))
