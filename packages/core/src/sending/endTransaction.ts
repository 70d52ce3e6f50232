import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { isPut, putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { endReads } from "../payout/endPayout.ts"
import type { Outpoint } from "../port/Utxo.ts"
import { moveTransaction, putTransaction } from "./moveTransaction.ts"
import { PayoutWallet } from "../transaction/PayoutWallet.ts"
import { transactionQueue } from "../transaction/queues.ts"
import { utxosHeld, type OutboundTransaction, type TransactionOutcome } from "../transaction/OutboundTransaction.ts"
import { utxoKey, WalletUtxo } from "../transaction/WalletUtxo.ts"

/** What ending an outbound transaction reads, beside what moving it does: the UTXOs, and what its payouts hold. */
export const endTransactionReads = (
  transaction: OutboundTransaction,
  currencies: CurrencyTable
): ReadonlyArray<Read> => {
  const { network } = transaction
  const codes = [null, ...transaction.payments.map(({ contract }) => contract)].flatMap(
    (contract) => currencies.byAsset(network, contract)?.code ?? []
  )
  return [
    ...utxosOf(transaction).map((key) => readRecord(WalletUtxo, key)),
    ...[...new Set(codes)].flatMap((currency): ReadonlyArray<Read> => [
      { _tag: "Balance", account: "network_fees", currency },
      ...placeReads(`chain:${network}:payouts`, currency),
      ...placeReads(`chain:${network}:deposits`, currency)
    ]),
    ...transaction.payments.flatMap(({ contract, memo, operationId, to }) => {
      const currency = currencies.byAsset(network, contract)?.code
      return operationId === null || currency === undefined ? [] : endReads({ currency, memo, network, to })
    })
  ]
}

const utxosOf = ({ network, guard }: OutboundTransaction): ReadonlyArray<string> =>
  guard._tag === "Utxos" ? guard.utxos.map((utxo) => utxoKey(network, utxo)) : []

const putUtxos = (
  view: View,
  transaction: OutboundTransaction,
  stateOf: (key: string) => WalletUtxo["state"]
): ReadonlyArray<Change> =>
  utxosOf(transaction).flatMap((key) => {
    const utxo = view.get(WalletUtxo, key)
    if (utxo === undefined) return []
    const state = stateOf(key)
    // a UTXO whose block is gone keeps its place: it comes back, if it does, as what it is by then
    const next = utxo.state === "GONE" ? utxo.state : state
    return [putRecord(WalletUtxo, { ...utxo, state: next, transactionId: state === "FREE" ? null : transaction.id })]
  })

/**
 * What becomes of a number that was not used after all: where it was the last that the account gave, it is given again; where
 * others came after it, the outbound transaction goes on as one that does nothing but use it up, or they would wait for ever.
 */
const unusedSequence = (
  view: View,
  { counterId, guard }: OutboundTransaction
): { readonly counter: Partial<PayoutWallet> } | "gap" => {
  if (guard._tag !== "Sequence" || counterId === null) return { counter: {} }
  const account = view.get(PayoutWallet, counterId)
  if (account?.nextSequence === guard.sequence + 1n) return { counter: { nextSequence: guard.sequence } }
  return "gap"
}

/** Ends an outbound transaction by what became of a transaction of its own: its replay guard is used up. */
export const endTransaction = (
  view: View,
  transaction: OutboundTransaction,
  outcome: Extract<TransactionOutcome, "done" | "reverted">,
  patch: Partial<Omit<OutboundTransaction, "id" | "phase">> = {}
): ReadonlyArray<Change> => [
  ...moveTransaction(view, transaction, "concluded", {
    ...patch,
    outcome,
    asked: null,
    problem: null,
    endedAt: view.now
  }).changes,
  ...putUtxos(view, transaction, () => "SPENT"),
  unschedule(transactionQueue(transaction.network), transaction.id)
]

/**
 * Ends an outbound transaction whose replay guard somebody else has used up. Of a set of UTXOs a part may be left: those that the chain still has `unspent` are free
 * again. Nothing of ours can take them any more, as each transaction that was signed for the outbound transaction also spends a UTXO that a final
 * foreign one has spent. Of the others it is not known that they are there, so they stay spent.
 *
 * The books are left as they are: what the foreign transaction took has gone for nothing that they know of, and shows as a difference
 * between them and the chain.
 */
export const endReplaced = (
  view: View,
  transaction: OutboundTransaction,
  unspent: ReadonlyArray<Outpoint>
): ReadonlyArray<Change> => {
  const left = new Set(unspent.map((utxo) => utxoKey(transaction.network, utxo)))
  const isLeft = (utxo: Outpoint) => left.has(utxoKey(transaction.network, utxo))
  const freed = utxosHeld(transaction)
    .filter(isLeft)
    .map(({ txHash, vout }) => ({ txHash, vout }))
  const ended = { outcome: "replaced", freed, asked: null, problem: null, endedAt: view.now } as const
  return [
    ...moveTransaction(view, transaction, "concluded", ended).changes,
    ...putUtxos(view, transaction, (key) => (left.has(key) ? "FREE" : "SPENT")),
    unschedule(transactionQueue(transaction.network), transaction.id)
  ]
}

/** Ends an outbound transaction that has used up nothing: it was never signed (`released`), or it is proven that it cannot be included (`expired`). */
export const endUnused = (
  view: View,
  transaction: OutboundTransaction,
  outcome: "released" | "expired"
): ReadonlyArray<Change> => {
  const trigger = outcome === "released" ? "released" : "concluded"
  const unused = unusedSequence(view, transaction)
  if (unused !== "gap") {
    const ended = { outcome, asked: null, problem: null, endedAt: view.now }
    return [
      ...moveTransaction(view, transaction, trigger, ended, unused.counter).changes,
      ...putUtxos(view, transaction, () => "FREE"),
      unschedule(transactionQueue(transaction.network), transaction.id)
    ]
  }
  return fillGap(view, transaction, outcome)
}

/** The number of an outbound transaction is used up by a transaction that does nothing else. */
const fillGap = (
  view: View,
  transaction: OutboundTransaction,
  outcome: "released" | "expired"
): ReadonlyArray<Change> => {
  const again = (id: string) => schedule(transactionQueue(transaction.network), id, view.now)
  const nothing = {
    purpose: "CANCEL",
    payments: [],
    trustlines: [],
    cancelled: [],
    drain: false,
    asked: null,
    problem: null
  } as const
  if (outcome === "released") {
    const filler: OutboundTransaction = { ...transaction, ...nothing }
    return [...putTransaction(view, transaction, filler), again(transaction.id)]
  }
  // what was signed stays with its outbound transaction: the number goes over to a new one
  const filler: OutboundTransaction = {
    ...transaction,
    ...nothing,
    id: view.newId(),
    phase: "RESERVED",
    hashes: [],
    feeMax: 0n,
    reservedAt: view.now,
    signedAt: null,
    sentAt: null,
    asked: null,
    lastSentAt: null,
    blockNumber: null
  }
  const ended = moveTransaction(view, transaction, "concluded", {
    outcome,
    asked: null,
    problem: null,
    endedAt: view.now
  })
  return [
    // the account keeps as many open outbound transactions as before: the one ends as the other begins
    ...ended.changes.filter((change) => !isPut(PayoutWallet, change)),
    ...putTransaction(view, transaction, filler),
    unschedule(transactionQueue(transaction.network), transaction.id),
    again(filler.id)
  ]
}
