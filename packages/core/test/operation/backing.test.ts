import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { registerAddresses } from "@bursar/core/address/registerAddresses"
import { retireAddress } from "@bursar/core/address/retireAddress"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { beginCustody } from "@bursar/core/custody/beginCustody"
import { confirmDeposits } from "@bursar/core/incoming/confirmDeposits"
import { recordIncomingTransfers } from "@bursar/core/incoming/recordIncomingTransfers"
import { reorgDeposits } from "@bursar/core/incoming/reorgDeposits"
import type { DepositAddress } from "@bursar/core/address/DepositAddress"
import { issueAddresses } from "@bursar/core/address/issueAddresses"
import type { Account } from "@bursar/core/ledger/Account"
import { of } from "@bursar/core/money/Amount"
import { defaultCurrencies } from "@bursar/core/money/defaultCurrencies"
import { adjustFloat } from "@bursar/core/adjustment/adjustFloat"
import type { Operation } from "@bursar/core/operation/Operation"
import { waitsOf } from "@bursar/core/operation/waits"
import { addWallet } from "@bursar/core/provisioning/addWallet"
import {
  confirmWalletTransfers,
  recordWalletTransfers,
  reorgWalletTransfers
} from "@bursar/core/incoming/walletTransfers"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import { Queries } from "@bursar/core/store/Queries"
import { createSwap } from "@bursar/core/swap/createSwap"
import { recordSwap } from "@bursar/core/swap/recordSwap"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { defaultPolicy } from "@bursar/core/tenant/Tenant"
import { createTransfer } from "@bursar/core/transfer/createTransfer"
import { accountAt, addressItem, keyed, keysAt, newAddress, newEvmAddress } from "@bursar/testkit/fixtures/deposits"
import { payee } from "@bursar/testkit/fixtures/people"
import { newTenant } from "@bursar/testkit/fixtures/tenants"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import {
  accepted,
  withStatus,
  finalOf,
  next,
  refusalOf,
  request,
  reserved,
  signed,
  store,
  submit,
  usdt
} from "../payout/world.ts"
import { AssetReservation } from "@bursar/core/operation/AssetReservation"

const million = 1_000_000n

/** No limit stands before the balance. */
const unlimited = { payoutLimitUsd: null, payoutDailyLimitUsd: null, payoutNewAddressLimitUsd: null } as const

const tenant = Effect.map(newTenant({ policy: { ...defaultPolicy, ...unlimited } }), ({ id }) => id)

const issued = Effect.fnUntraced(function* (id: TenantId) {
  const prederived = {
    seedId: crypto.randomUUID(),
    ...accountAt(`account-${id}`),
    from: 0,
    addresses: [keyed(newEvmAddress())]
  }
  const { addresses } = yield* submit(
    id,
    issueAddresses({ network: "ethereum", reference: "i", count: 1, prederived }, presetNetworks)
  )
  return addresses[0] ?? (yield* Effect.die(new Error("nothing was issued")))
})

const seen = Effect.fnUntraced(function* (
  id: TenantId,
  address: DepositAddress,
  units: bigint,
  fromAddress: string | null = null
) {
  const block = { number: 1_000, hash: newTxHash(), time: (yield* Clock.currentTimeMillis) + 60_000 }
  const { address: to, id: addressId, network } = address
  const incomingTransfer = {
    network,
    txHash: newTxHash(),
    transferIndex: 0,
    addressId,
    address: to,
    keys: keysAt(to),
    currency: "USDT_ETH",
    units
  }
  const incomingTransfers = [{ ...incomingTransfer, fromAddress, block, confirmations: 1 }]
  const [deposit] = yield* submit(
    id,
    recordIncomingTransfers({ network, requiredConfirmations: 1, incomingTransfers }, defaultCurrencies)
  )
  return deposit ?? (yield* Effect.die(new Error("it was not recorded")))
})

const deposited = Effect.fnUntraced(function* (...given: Parameters<typeof seen>) {
  const deposit = yield* seen(...given)
  const blockHash = deposit.block?.hash ?? ""
  const [after] = yield* submit(
    given[0],
    confirmDeposits([{ deposit, blockHash, confirmations: 1 }], defaultCurrencies, nothingUndecided)
  )
  return after ?? (yield* Effect.die(new Error("it was not confirmed")))
})

/** What stands where, in the currency of the tests; what is nothing is left out. */
const standing = Effect.fnUntraced(function* (id: TenantId, currency = "USDT_ETH") {
  const { snapshot } = yield* LedgerSnapshot
  return yield* snapshot(id, ({ balances }) =>
    Effect.succeed(
      Object.fromEntries(
        balances
          .filter((one) => one.currency === currency && one.units !== 0n)
          .map(({ account, units }) => [account, units])
      )
    )
  )
})

const isClean = Effect.fnUntraced(function* (id: TenantId) {
  const { snapshot } = yield* LedgerSnapshot
  const found = yield* snapshot(id, (ledger) => checkTenant(ledger))
  assert.deepStrictEqual(
    // the commands of these tests come without the key that a request has
    found.filter(({ firstWrong, invariant }) => firstWrong !== null && invariant !== "idempotency-records"),
    []
  )
})

const funded = (id: TenantId, units: bigint, against: Account, currency = "USDT_ETH") =>
  submit(id, adjustFloat({ amount: of(units, currency), against, reason: "funded" }))

const moved = (id: TenantId, units: bigint, from: Account, against: Account) =>
  submit(id, adjustFloat({ amount: of(units, "USDT_ETH"), from, against, reason: "moved" }))

/** A conversion to BTC, whose rate was seen just now. */
const swapOf = (units: bigint, observedAt = 0) =>
  createSwap({
    madeBy: "maker",
    amount: of(units, "USDT_ETH"),
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

const refused = <A>(id: TenantId, command: Parameters<typeof submit<A>>[1]) =>
  Effect.map(Effect.flip(submit(id, command)), (error) =>
    error._tag === "Refusal" ? { code: error.code, detail: error.detail } : { code: error._tag, detail: null }
  )

const begun = Effect.fnUntraced(function* (id: TenantId, { id: operationId }: Pick<Operation, "id">) {
  const read = yield* (yield* Queries).operation(id, operationId)
  if (read === undefined) return yield* Effect.die(new Error("there is no such operation"))
  const task = yield* submit(id, beginCustody(read, { name: "fake", environment: "LIVE" }))
  const after = yield* (yield* Queries).operation(id, operationId)
  return {
    task: task._tag,
    waits: after === undefined ? null : (waitsOf(after)?.reason ?? null),
    operation: after ?? read
  }
})

const usd = (amount: string) => ({ amount, currency: "USDT_ETH" })

describe("what a tenant can spend", () => {
  it.effect("is nothing of what stands on a stranger's address that it has registered, by whatever way out", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      yield* submit(
        id,
        addWallet(
          {
            network: "ethereum",
            role: "PAYOUT",
            seedId: crypto.randomUUID(),
            index: 0,
            ...keyed(newEvmAddress())
          },
          presetNetworks
        )
      )
      const stranger = yield* newAddress(id)
      yield* deposited(id, stranger, 20_000n * million)
      assert.strictEqual((yield* standing(id))["float:available"], 20_000n * million, "it is credited as ever")
      const detail = { available: usd("20000"), backed: usd("0"), required: usd("20000") }
      assert.deepStrictEqual(yield* refused(id, swapOf(20_000n * million)), { code: "insufficient_balance", detail })
      assert.strictEqual(yield* refusalOf(id), "insufficient_balance")
      const offRamp = createTransfer({
        kind: "OFF_RAMP",
        amount: of(20_000n * million, "USDT_ETH"),
        toCurrency: "EUR",
        payee,
        rail: null,
        quoteId: null,
        partnerReference: null,
        provider: { name: "fake", environment: "LIVE" },
        actsFor: "TENANT",
        customerId: null,
        usd: { price: { units: 1n, decimals: 0 }, source: "test", observedAt: 0 },
        madeBy: "maker",
        defaultFees: [],
        currencies: defaultCurrencies
      })
      assert.strictEqual((yield* refused(id, offRamp)).code, "insufficient_balance")
      const take = adjustFloat({ amount: of(-million, "USDT_ETH"), against: "custodian", reason: "taken" })
      assert.strictEqual((yield* refused(id, take)).code, "insufficient_balance")
      assert.deepStrictEqual(yield* standing(id), {
        "float:available": 20_000n * million,
        "chain:ethereum:tenant": 20_000n * million
      })
      yield* isClean(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("is what the service holds beside it, to the unit", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      yield* deposited(id, yield* newAddress(id), 500n)
      yield* deposited(id, yield* issued(id), 70n)
      yield* funded(id, 30n, "custodian")
      assert.deepStrictEqual((yield* refused(id, swapOf(101n))).detail, {
        available: usd("0.0006"),
        backed: usd("0.0001"),
        required: usd("0.000101")
      })
      yield* submit(id, swapOf(100n))
      assert.strictEqual((yield* refused(id, swapOf(1n))).code, "insufficient_balance")
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "grows as the tenant moves its coins to an address of the service, and the float is not credited twice",
    () =>
      Effect.gen(function* () {
        const id = yield* tenant
        const own = yield* newAddress(id)
        const ours = yield* issued(id)
        yield* deposited(id, own, 100n)
        const part = yield* deposited(id, ours, 60n, own.address)
        assert.deepStrictEqual(yield* standing(id), {
          "float:available": 100n,
          "chain:ethereum:tenant": 40n,
          "chain:ethereum:deposits": 60n
        })
        assert.strictEqual(part.ownUnits, 60n)
        // 40 of these were credited on its own address, 25 never were
        const rest = yield* deposited(id, ours, 65n, own.address)
        assert.deepStrictEqual(yield* standing(id), { "float:available": 125n, "chain:ethereum:deposits": 125n })
        yield* isClean(id)
        for (const deposit of [rest, part])
          yield* submit(id, reorgDeposits([{ deposit, blockHash: deposit.block?.hash ?? null }], defaultCurrencies))
        assert.deepStrictEqual(yield* standing(id), { "float:available": 100n, "chain:ethereum:tenant": 100n })
        const register = yield* (yield* Queries).register(id, { limit: 10 })
        assert.deepStrictEqual(
          register.map(({ amount, kind }) => `${kind} ${amount.units}`),
          ["REVERSAL 25", "DEPOSIT 25", "DEPOSIT 100"],
          "the tenant sees what the float got"
        )
        yield* isClean(id)
      }).pipe(Effect.provide(store))
  )

  it.effect(
    "is right where both arrivals are confirmed at once, in whatever order, and between two addresses of its own",
    () =>
      Effect.gen(function* () {
        const id = yield* tenant
        const [own, other, ours] = [yield* newAddress(id), yield* newAddress(id), yield* issued(id)]
        const last = yield* seen(id, ours, 30n, other.address)
        const middle = yield* seen(id, other, 80n, own.address)
        const first = yield* seen(id, own, 100n)
        const all = [last, middle, first].map((deposit) => ({
          deposit,
          blockHash: deposit.block?.hash ?? "",
          confirmations: 1
        }))
        yield* submit(id, confirmDeposits(all, defaultCurrencies, nothingUndecided))
        assert.deepStrictEqual(yield* standing(id), {
          "float:available": 100n,
          "chain:ethereum:tenant": 70n,
          "chain:ethereum:deposits": 30n
        })
        yield* isClean(id)
      }).pipe(Effect.provide(store))
  )

  it.effect("never exceeds what the service holds where the sender is not known, or is nobody's by now", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const own = yield* newAddress(id)
      const ours = yield* issued(id)
      yield* deposited(id, own, 100n)
      yield* deposited(id, ours, 40n, null)
      yield* submit(id, retireAddress(own.id))
      yield* deposited(id, ours, 50n, own.address)
      assert.deepStrictEqual(yield* standing(id), {
        "float:available": 190n,
        "chain:ethereum:tenant": 100n,
        "chain:ethereum:deposits": 90n
      })
      assert.strictEqual((yield* refused(id, swapOf(91n))).code, "insufficient_balance")
      yield* submit(id, swapOf(90n))
    }).pipe(Effect.provide(store))
  )

  it.effect("knows coins that the tenant sends to its payout wallet, and takes that back with their block", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const wallet = yield* submit(
        id,
        addWallet(
          {
            network: "ethereum",
            role: "PAYOUT",
            seedId: crypto.randomUUID(),
            index: 0,
            ...keyed(newEvmAddress())
          },
          presetNetworks
        )
      )
      const own = yield* newAddress(id)
      yield* deposited(id, own, 100n)
      const block = { number: 1_000, hash: newTxHash(), time: 0 }
      const [incomingTransfer] = yield* submit(
        id,
        recordWalletTransfers(
          [
            {
              network: "ethereum",
              txHash: newTxHash(),
              transferIndex: 0,
              walletId: wallet.id,
              address: wallet.address,
              paidTo: wallet.address,
              memo: null,
              currency: "USDT_ETH",
              units: 120n,
              fromAddress: own.address,
              block
            }
          ],
          presetNetworks
        )
      )
      if (incomingTransfer === undefined) return yield* Effect.die(new Error("nothing arrived"))
      yield* submit(id, confirmWalletTransfers([{ incomingTransfer, block }], presetNetworks, nothingUndecided))
      assert.deepStrictEqual(yield* standing(id), {
        "float:available": 100n,
        "chain:ethereum:payouts": 120n,
        suspense: -20n
      })
      yield* submit(id, reorgWalletTransfers([{ incomingTransfer, block }], presetNetworks))
      assert.deepStrictEqual(yield* standing(id), { "float:available": 100n, "chain:ethereum:tenant": 100n })
      yield* isClean(id)
      return undefined
    }).pipe(Effect.provide(store))
  )
})

describe("what stands at a place", () => {
  it.effect("is sent once: of two operations that it covers one of, the second waits and goes on when covered", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      yield* funded(id, 100n, "custodian")
      yield* funded(id, 100n, "bank")
      const [one, two] = [yield* submit(id, swapOf(60n)), yield* submit(id, swapOf(60n))]
      assert.deepInclude(yield* begun(id, one), { task: "Send", waits: null })
      assert.deepInclude(yield* begun(id, two), { task: "Wait", waits: "insufficient_wallet" })
      const away = adjustFloat({ amount: of(50n, "USDT_ETH"), from: "custodian", against: "bank", reason: "moved" })
      assert.strictEqual((yield* refused(id, away)).code, "insufficient_balance", "what is in flight is not moved away")
      yield* moved(id, 20n, "bank", "custodian")
      const sent = yield* begun(id, two)
      assert.deepInclude(sent, { task: "Send", waits: null })
      const answer = { _tag: "Refused", reason: "no" } as const
      yield* submit(id, recordSwap({ operation: sent.operation, answer, currencies: defaultCurrencies }))
      assert.deepInclude(
        yield* begun(id, yield* submit(id, swapOf(60n))),
        { task: "Send" },
        "what failed takes nothing"
      )
      const reservations = yield* (yield* Queries).records(id, AssetReservation)
      assert.deepStrictEqual(reservations, [{ account: "custodian", currency: "USDT_ETH", units: 120n }])
      yield* isClean(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("pays a payout only as far as the wallet has it in the books, and books gas that was never booked in", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      const wallet = yield* submit(
        id,
        addWallet(
          {
            network: "ethereum",
            role: "PAYOUT",
            seedId: crypto.randomUUID(),
            index: 0,
            ...keyed(newEvmAddress())
          },
          presetNetworks
        )
      )
      yield* funded(id, 500n * million, "custodian")
      const [one, two] = [yield* accepted(id, { order: usdt() }), yield* accepted(id, { order: usdt() })]
      const died = yield* Effect.exit(reserved(id, wallet, [one]))
      assert.strictEqual(died._tag, "Failure", "the coins are at the custodian")
      yield* moved(id, 150n * million, "custodian", "chain:ethereum:payouts")
      const transaction = yield* reserved(id, wallet, [one, two])
      assert.deepStrictEqual(
        transaction.payments.map(({ operationId }) => operationId),
        [one.id],
        "each alone is covered, together they are not"
      )
      assert.strictEqual((yield* Effect.exit(reserved(id, wallet, [two], next(wallet))))._tag, "Failure")
      yield* withStatus(id, yield* signed(id, transaction, "hash-1"), finalOf("hash-1"))
      assert.deepStrictEqual(yield* standing(id), {
        "float:available": 298n * million,
        "float:held": 101n * million,
        fees: million,
        custodian: 350n * million,
        "chain:ethereum:payouts": 50n * million
      })
      assert.deepStrictEqual(yield* standing(id, "ETH"), {
        network_fees: 21_000n,
        "suspense:chain:ethereum:payouts": -21_000n
      })
      yield* funded(id, 100_000n, "chain:ethereum:payouts", "ETH")
      assert.deepStrictEqual(
        yield* standing(id, "ETH"),
        { "float:available": 100_000n, network_fees: 21_000n, "chain:ethereum:payouts": 79_000n },
        "what is booked in later covers it"
      )
      assert.deepStrictEqual(
        (yield* (yield* Queries).records(id, AssetReservation)).map(({ units }) => units),
        [0n]
      )
      yield* isClean(id)
      assert.isDefined(yield* request())
    }).pipe(Effect.provide(store))
  )

  it.effect("can be moved by operators from where it stands, and from nowhere else", () =>
    Effect.gen(function* () {
      const id = yield* tenant
      yield* funded(id, 100n, "chain:ethereum:payouts")
      for (const [units, from, against, code] of [
        [101n, "chain:ethereum:payouts", "custodian", "insufficient_balance"],
        [1n, "bank", "custodian", "insufficient_balance"],
        [0n, "chain:ethereum:payouts", "custodian", "amount_invalid"],
        [-1n, "custodian", "chain:ethereum:payouts", "amount_invalid"],
        [1n, "chain:ethereum:payouts", "chain:ethereum:payouts", "invalid_request"]
      ] as const) {
        const command = adjustFloat({ amount: of(units, "USDT_ETH"), from, against, reason: "moved" })
        assert.strictEqual((yield* refused(id, command)).code, code)
      }
      yield* moved(id, 70n, "chain:ethereum:payouts", "custodian")
      yield* moved(id, 20n, "custodian", "bank")
      assert.deepStrictEqual(yield* standing(id), {
        "float:available": 100n,
        "chain:ethereum:payouts": 30n,
        custodian: 50n,
        bank: 20n
      })
      const short = adjustFloat({ amount: of(-60n, "USDT_ETH"), against: "custodian", reason: "taken" })
      assert.deepStrictEqual((yield* refused(id, short)).detail, {
        place: "custodian",
        available: usd("0.00005"),
        required: usd("0.00006")
      })
      yield* isClean(id)
    }).pipe(Effect.provide(store))
  )
})

// an address that is registered is not another's to send from
describe("an address of another tenant", () => {
  it.effect("brings a deposit like any stranger's", () =>
    Effect.gen(function* () {
      const [id, other] = [yield* tenant, yield* tenant]
      const theirs = newEvmAddress()
      yield* submit(other, registerAddresses([addressItem(theirs)]))
      const own = yield* newAddress(id)
      yield* deposited(id, own, 100n)
      yield* deposited(id, yield* issued(id), 60n, theirs)
      assert.strictEqual((yield* standing(id))["float:available"], 160n)
    }).pipe(Effect.provide(store))
  )
})
