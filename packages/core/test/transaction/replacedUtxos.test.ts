import { nothingUndecided } from "@bursar/core/deposit/undecided"
import { presetNetworks } from "@bursar/core/money/presetNetworks"
import { checkTenant } from "@bursar/core/checker/checkTenant"
import { putRecord } from "@bursar/core/engine/Records"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import {
  confirmWalletTransfers,
  recordWalletTransfers,
  reorgWalletTransfers
} from "@bursar/core/incoming/walletTransfers"
import { LedgerSnapshot } from "@bursar/core/checker/LedgerSnapshot"
import type { TransactionStatus } from "@bursar/core/port/ChainSender"
import type { Utxo } from "@bursar/core/port/Utxo"
import { Queries } from "@bursar/core/store/Queries"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { writing } from "@bursar/testkit/fixtures/commands"
import { newTxHash } from "@bursar/testkit/fixtures/transfers"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  accepted,
  ledgerHolds,
  withStatus,
  payer,
  reserved,
  signed,
  transactionOf,
  stateOf,
  store,
  submit,
  usdt
} from "../payout/world.ts"
import { block, coinsFor } from "../payout/coins.ts"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"

/** An outbound transaction of some coins for one payout, signed. */
const paying = Effect.fnUntraced(function* (tenantId: TenantId, wallet: PayoutWallet, utxos: ReadonlyArray<Utxo>) {
  const order = usdt({ network: "bitcoin", currency: "BTC", contract: null, units: 150_000n })
  const operation = yield* accepted(tenantId, { order, defaultFees: [] })
  const transaction = yield* reserved(tenantId, wallet, [operation], { _tag: "Utxos", utxos, fee: 1_000n })
  return { operation, transaction: yield* signed(tenantId, transaction, newTxHash()) }
})

const replaced = (spent?: ReadonlyArray<Utxo>): TransactionStatus => ({
  _tag: "Invalidated",
  reason: "replaced_on_chain",
  by: "foreign",
  detail: "",
  ...(spent === undefined ? {} : { spent })
})

/** The state of each UTXO, and the outbound transaction that it names. */
const statesOf = Effect.fnUntraced(function* (tenantId: TenantId, utxos: ReadonlyArray<Utxo>) {
  const all = yield* (yield* Queries).records(tenantId, WalletUtxo)
  return utxos.map(({ txHash }) => {
    const utxo = all.find((one) => one.txHash === txHash)
    return [utxo?.state, utxo?.transactionId]
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
  const results = yield* (yield* LedgerSnapshot).snapshot(tenantId, checkTenant)
  return results.flatMap(({ firstWrong, invariant }) => (firstWrong === null ? [] : [`${invariant}: ${firstWrong}`]))
})

const rewrite = (tenantId: TenantId, transaction: OutboundTransaction) =>
  submit(
    tenantId,
    writing(() => [putRecord(OutboundTransaction, transaction)])
  )

describe("the coins of an outbound transaction that a foreign transaction has replaced", () => {
  it.effect("are spent where that is proven, else free again, and the books stay", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { utxos } = yield* coinsFor(id, wallet, 3)
      const { operation, transaction } = yield* paying(id, wallet, utxos)
      const before = yield* walletUnits(id)
      for (let again = 0; again < 2; again++) yield* withStatus(id, transaction, replaced(utxos.slice(2)))
      assert.deepStrictEqual(yield* statesOf(id, utxos), [
        ["FREE", null],
        ["FREE", null],
        ["SPENT", transaction.id]
      ])
      assert.strictEqual((yield* stateOf(id, operation.id)).operation.details.failure_reason, "replaced_on_chain")
      const over = yield* transactionOf(id, transaction.id)
      assert.strictEqual(over.outcome, "replaced")
      assert.deepStrictEqual(
        over.freed,
        first(utxos, 2).map(({ txHash, vout }) => ({ txHash, vout }))
      )
      assert.deepStrictEqual(yield* walletUnits(id), before)
      yield* ledgerHolds(id)
      // and pay the next one
      const next = yield* paying(id, wallet, first(utxos, 2))
      assert.deepStrictEqual(yield* statesOf(id, first(utxos, 2)), [
        ["RESERVED", next.transaction.id],
        ["RESERVED", next.transaction.id]
      ])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("are all spent where it is not told of which", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { utxos } = yield* coinsFor(id, wallet, 2)
      const { transaction } = yield* paying(id, wallet, utxos)
      yield* withStatus(id, transaction, replaced())
      assert.deepStrictEqual(yield* statesOf(id, utxos), [
        ["SPENT", transaction.id],
        ["SPENT", transaction.id]
      ])
      assert.deepStrictEqual((yield* transactionOf(id, transaction.id)).freed, [])
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("end nothing where none is said to be spent: then nothing has taken them", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { utxos } = yield* coinsFor(id, wallet, 2)
      const { operation, transaction } = yield* paying(id, wallet, utxos)
      yield* withStatus(id, transaction, replaced([]))
      const { operation: now, transaction: open } = yield* stateOf(id, operation.id)
      assert.deepInclude(now, { status: "PROCESSING", unresolved: true })
      assert.deepInclude(open, { phase: "SIGNED", outcome: null, freed: [] })
      assert.strictEqual(open?.problem, "foreign has taken its coins, and none of them is spent.")
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("are free once their block is seen again, where they were left while it was gone", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { incomingTransfers, utxos, found } = yield* coinsFor(id, wallet, 2)
      const { transaction } = yield* paying(id, wallet, utxos)
      const [incomingTransfer] = incomingTransfers
      if (incomingTransfer === undefined) return assert.fail("nothing came")
      yield* submit(id, reorgWalletTransfers([{ incomingTransfer, block }], presetNetworks))
      yield* withStatus(id, transaction, replaced(utxos.slice(1)))
      assert.deepStrictEqual((yield* statesOf(id, utxos))[0], ["GONE", null])
      const again = yield* submit(id, recordWalletTransfers(first(found, 1), presetNetworks))
      yield* submit(
        id,
        confirmWalletTransfers(
          again.map((one) => ({ incomingTransfer: one, block })),
          presetNetworks,
          nothingUndecided
        )
      )
      assert.deepStrictEqual((yield* statesOf(id, utxos))[0], ["FREE", null])
      yield* ledgerHolds(id)
      return undefined
    }).pipe(Effect.provide(store))
  )

  it.effect("are spent for good where that is proven, whether or not their block was seen to go, and come again", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { incomingTransfers, utxos, found } = yield* coinsFor(id, wallet, 2)
      const { transaction } = yield* paying(id, wallet, utxos)
      yield* submit(
        id,
        reorgWalletTransfers(
          incomingTransfers.map((incomingTransfer) => ({ incomingTransfer, block })),
          presetNetworks
        )
      )
      yield* withStatus(id, transaction, replaced(first(utxos, 1)))
      const states = [
        ["SPENT", transaction.id],
        ["GONE", null]
      ]
      assert.deepStrictEqual(yield* statesOf(id, utxos), states)
      const again = yield* submit(id, recordWalletTransfers(first(found, 1), presetNetworks))
      yield* submit(
        id,
        confirmWalletTransfers(
          again.map((one) => ({ incomingTransfer: one, block })),
          presetNetworks,
          nothingUndecided
        )
      )
      assert.deepStrictEqual(yield* statesOf(id, utxos), states)
      yield* ledgerHolds(id)
    }).pipe(Effect.provide(store))
  )

  it.effect("are missed by the checker where an outbound transaction says otherwise than they do", () =>
    Effect.gen(function* () {
      const { id, wallet } = yield* payer({}, "bitcoin")
      const { utxos } = yield* coinsFor(id, wallet, 2)
      const { transaction } = yield* paying(id, wallet, utxos)
      yield* withStatus(id, transaction, replaced(utxos.slice(1)))
      const over = yield* transactionOf(id, transaction.id)
      const key = `utxo bitcoin|${utxos[0]?.txHash}:${utxos[0]?.vout}`
      yield* rewrite(id, { ...over, freed: [] })
      assert.deepStrictEqual(yield* wrong(id), [
        `transactions: ${key} is FREE and names transaction null, the transactions say ${transaction.id}`
      ])
      yield* rewrite(id, { ...over, outcome: "done" })
      assert.include((yield* wrong(id)).join(), `transaction ${transaction.id} has freed UTXOs and is not replaced`)
    }).pipe(Effect.provide(store))
  )
})
