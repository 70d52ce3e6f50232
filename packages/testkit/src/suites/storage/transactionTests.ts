import { putRecord, readGroup, type RecordDefinition, readRecord } from "@bursar/core/engine/Records"
import type { RecordName, RecordOf } from "@bursar/core/records"
import type { View } from "@bursar/core/engine/View"
import { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { WalletTransfer } from "@bursar/core/deposit/WalletTransfer"
import { WalletUtxo } from "@bursar/core/transaction/WalletUtxo"
import { AccountProvisioning } from "@bursar/core/provisioning/AccountProvisioning"
import { PaidAddress } from "@bursar/core/payout/PaidAddress"
import { Payout } from "@bursar/core/payout/Payout"
import { Queries } from "@bursar/core/store/Queries"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { looking, writing } from "../../fixtures/commands.ts"
import { bareOperation, bareTransaction, difficultText, hugeUnits } from "../../fixtures/records.ts"
import { commitAt, newTenant, past } from "../../fixtures/tenants.ts"
import { newTxHash } from "../../fixtures/transfers.ts"
import type { StorageIt } from "./services.ts"
import { Operation } from "@bursar/core/operation/Operation"
import { PaidAccount } from "@bursar/core/transfer/PaidAccount"
import { liveAddress } from "@bursar/core/address/owners"

/** Some records of each kind that chain payouts need, and the operation that they are of. */
const recordsOf = (view: View) => {
  const operation = bareOperation(view, { kind: "CHAIN_PAYOUT" })
  const other = bareOperation(view, { kind: "CHAIN_PAYOUT" })
  const wallet: PayoutWallet = {
    id: view.newId(),
    network: "ethereum",
    role: "PAYOUT",
    address: difficultText,
    seedId: view.newId(),
    custodied: null,
    index: 0,
    nextSequence: null,
    nextSalt: 1,
    openTransactions: 0,
    committed: [],
    createdAt: view.now
  }
  const beside: PayoutWallet = { ...wallet, id: view.newId(), address: "beside", index: 1 }
  const channel: PayoutWallet = {
    ...wallet,
    id: view.newId(),
    role: "CHANNEL",
    address: "another",
    seedId: null,
    custodied: { custody: "pkcs11", keyId: view.newId() },
    index: 2 ** 31 - 1,
    nextSequence: hugeUnits,
    nextSalt: 2 ** 40,
    openTransactions: 7,
    committed: [
      { contract: null, units: hugeUnits },
      { contract: difficultText, units: 1n }
    ]
  }
  const bare = bareTransaction(view)
  const full: OutboundTransaction = {
    ...bare,
    id: view.newId(),
    network: "stellar",
    purpose: "SWEEP",
    walletId: wallet.id,
    guard: { _tag: "Sequence", account: difficultText, sequence: hugeUnits },
    counterId: channel.id,
    payments: [
      {
        operationId: operation.id,
        to: difficultText,
        contract: "c",
        units: hugeUnits,
        memo: { type: "id", value: "7" }
      },
      { operationId: null, to: "t", contract: null, units: 1n, memo: null }
    ],
    drain: true,
    salt: 2 ** 40,
    phase: "FINAL",
    outcome: "done",
    hashes: ["one", difficultText],
    feeMax: hugeUnits,
    cancelled: [operation.id],
    givenUpAfter: 3,
    signingUntil: view.now + 60_000,
    problem: difficultText,
    signedAt: view.now + 1,
    sentAt: view.now + 2,
    asked: "BUMP",
    lastSentAt: view.now + 3,
    blockNumber: 9_000_000_000,
    fee: hugeUnits,
    endedAt: view.now + 4
  }
  const utxos: OutboundTransaction = {
    ...bare,
    id: view.newId(),
    network: "bitcoin",
    guard: { _tag: "Utxos", utxos: [{ txHash: newTxHash(), vout: 3, units: hugeUnits, address: difficultText }] }
  }
  const replaced: OutboundTransaction = {
    ...utxos,
    id: view.newId(),
    phase: "FINAL",
    outcome: "replaced",
    freed: [{ txHash: difficultText, vout: 2 ** 32 - 1 }],
    endedAt: view.now
  }
  const agreeing: OutboundTransaction = {
    ...bare,
    id: view.newId(),
    network: "stellar",
    purpose: "PROVISIONING",
    trustlines: [difficultText, "A:G"]
  }
  const provisioning: AccountProvisioning = {
    network: "stellar",
    address: difficultText,
    role: "ISSUING",
    ready: false,
    transactionId: agreeing.id,
    failures: 2 ** 40,
    problem: difficultText,
    since: view.now - 1,
    checkedAt: view.now
  }
  const payout: Payout = {
    operationId: operation.id,
    network: "stellar",
    currency: "XLM",
    contract: null,
    units: hugeUnits,
    to: difficultText,
    memo: { type: "text", value: difficultText },
    transactionId: null,
    earlierTransactions: [],
    attempts: 0,
    alone: false,
    waits: null,
    madeBy: "maker",
    reviewedBy: null,
    cancelledBy: null
  }
  const payouts: ReadonlyArray<Payout> = [
    payout,
    {
      ...payout,
      operationId: other.id,
      contract: difficultText,
      memo: null,
      transactionId: full.id,
      earlierTransactions: [bare.id, utxos.id],
      attempts: 3,
      alone: true,
      waits: { reason: "r", detail: difficultText, since: view.now, tries: 9 },
      reviewedBy: "checker",
      cancelledBy: difficultText
    }
  ]
  const transaction: TransactionAttempt = {
    network: "stellar",
    hash: newTxHash(),
    transactionId: full.id,
    raw: Uint8Array.from({ length: 256 }, (_, byte) => byte),
    validUntil: null,
    replaces: null,
    pays: [],
    feeMax: 1n,
    signedAt: view.now,
    sentAt: null
  }
  const utxo: WalletUtxo = {
    network: "bitcoin",
    txHash: newTxHash(),
    vout: 0,
    units: hugeUnits,
    address: difficultText,
    walletId: wallet.id,
    state: "FREE",
    transactionId: null
  }
  const incomingTransfer: WalletTransfer = {
    network: "base",
    txHash: newTxHash(),
    transferIndex: 9_000_000_000,
    tenantId: view.tenant.id,
    walletId: wallet.id,
    place: "ACCOUNT",
    address: difficultText,
    paidTo: difficultText,
    memo: { type: "text", value: difficultText },
    currency: "ETH_BASE",
    units: hugeUnits,
    fromAddress: null,
    block: { number: 9_000_000_000, hash: difficultText, time: view.now },
    status: "DETECTED",
    bookedBy: null,
    ownUnits: 0n,
    detectedAt: view.now
  }
  const paid: PaidAddress = { network: "tron", address: difficultText, firstPaidAt: view.now }
  return {
    operations: [operation, other],
    records: {
      PayoutWallet: [wallet, beside, channel],
      OutboundTransaction: [bare, full, utxos, replaced, agreeing],
      Payout: payouts,
      TransactionAttempt: [
        transaction,
        {
          ...transaction,
          hash: difficultText,
          validUntil: view.now,
          replaces: transaction.hash,
          pays: [operation.id],
          feeMax: hugeUnits,
          sentAt: view.now
        }
      ],
      WalletUtxo: [utxo, { ...utxo, vout: 7, state: "SPENT", transactionId: full.id }],
      WalletTransfer: [
        incomingTransfer,
        {
          ...incomingTransfer,
          transferIndex: 0,
          fromAddress: difficultText,
          status: "CONFIRMED",
          bookedBy: view.newId(),
          ownUnits: hugeUnits - 1n
        }
      ],
      PaidAddress: [paid],
      PaidAccount: [{ account: difficultText, firstPaidAt: view.now }],
      AssetReservation: [
        { account: "chain:base:payouts", currency: difficultText, units: hugeUnits },
        { account: "custodian", currency: "ETH_BASE", units: 0n }
      ],
      AccountProvisioning: [
        provisioning,
        { ...provisioning, address: "G", role: "CHANNEL", ready: true, transactionId: null, problem: null }
      ]
    } satisfies { readonly [N in RecordName]?: ReadonlyArray<RecordOf<N>> }
  }
}

/** The records of chain payouts come back as they were written, by key and by group. */
export const transactionTests = (it: StorageIt, timeoutMs: number): void => {
  it.effect(
    "wallets, payouts, outbound transactions, attempts, UTXOs and wallet transfers round-trip with all their fields",
    () =>
      Effect.gen(function* () {
        const tenant = yield* newTenant()
        const queries = yield* Queries
        let made: ReturnType<typeof recordsOf> | undefined
        const put = writing((view) => {
          made = recordsOf(view)
          const { operations, records } = made
          return [
            ...operations.map((operation) => putRecord(Operation, operation)),
            ...records.PayoutWallet.map((record) => putRecord(PayoutWallet, record)),
            ...records.OutboundTransaction.map((record) => putRecord(OutboundTransaction, record)),
            ...records.Payout.map((record) => putRecord(Payout, record)),
            ...records.TransactionAttempt.map((record) => putRecord(TransactionAttempt, record)),
            ...records.WalletUtxo.map((record) => putRecord(WalletUtxo, record)),
            ...records.WalletTransfer.map((record) => putRecord(WalletTransfer, record)),
            ...records.PaidAddress.map((record) => putRecord(PaidAddress, record)),
            ...records.PaidAccount.map((record) => putRecord(PaidAccount, record)),
            ...records.AccountProvisioning.map((record) => putRecord(AccountProvisioning, record))
          ]
        })
        yield* commitAt(tenant.id, past, put)
        if (made === undefined) return assert.fail("nothing was written")
        const { records } = made
        const check = Effect.fnUntraced(function* <A, K>(kind: RecordDefinition<A, K>, all: ReadonlyArray<A>) {
          for (const record of all) {
            const key = kind.key(record)
            assert.deepStrictEqual(yield* queries.record(tenant.id, kind, key), record)
            const [seen] = yield* commitAt(
              tenant.id,
              past,
              looking([readRecord(kind, key)], (view) => view.get(kind, key))
            )
            assert.deepStrictEqual(seen, record)
          }
          assert.sameDeepMembers([...(yield* queries.records(tenant.id, kind))], [...all])
        })
        yield* check(PayoutWallet, records.PayoutWallet)
        yield* check(OutboundTransaction, records.OutboundTransaction)
        yield* check(Payout, records.Payout)
        yield* check(TransactionAttempt, records.TransactionAttempt)
        yield* check(WalletUtxo, records.WalletUtxo)
        yield* check(WalletTransfer, records.WalletTransfer)
        yield* check(PaidAddress, records.PaidAddress)
        yield* check(PaidAccount, records.PaidAccount)
        yield* check(AccountProvisioning, records.AccountProvisioning)
        const [wallet] = records.PayoutWallet
        const [utxo] = records.WalletUtxo
        if (wallet === undefined || utxo === undefined) return assert.fail("nothing was written")
        const free = () =>
          commitAt(
            tenant.id,
            past,
            looking([readGroup(WalletUtxo, wallet.id)], (view) => view.group(WalletUtxo, wallet.id))
          )
        assert.deepStrictEqual(yield* free(), [[utxo]])
        yield* commitAt(
          tenant.id,
          past,
          writing(() => [putRecord(WalletUtxo, { ...utxo, state: "RESERVED", transactionId: wallet.id })])
        )
        assert.deepStrictEqual(yield* free(), [[]], "what is not free is in no group")
        return undefined
      }),
    timeoutMs
  )

  it.effect(
    "a wallet's address belongs to its tenant, and no record of an address stands behind it",
    () =>
      Effect.gen(function* () {
        const [tenant, other] = [yield* newTenant(), yield* newTenant()]
        const address = newTxHash()
        const check = looking([{ _tag: "LiveAddress", network: "ethereum", address }], (view) =>
          liveAddress(view, "ethereum", address)
        )
        const claim = writing((view) => [
          { _tag: "AddressClaimed", network: "ethereum", address, addressId: view.newId(), wallet: true } as const
        ])
        const [, inBatch] = yield* commitAt(tenant.id, past, claim, check)
        const [stored] = yield* commitAt(tenant.id, past, check)
        const [theirs] = yield* commitAt(other.id, past, check)
        for (const seen of [inBatch, stored, theirs])
          assert.deepStrictEqual(seen, { owner: tenant.id, record: undefined })
      }),
    timeoutMs
  )
}
