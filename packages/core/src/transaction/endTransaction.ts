import { schedule, unschedule } from "../engine/Job.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { isPut, putRecord, readRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { placeReads } from "../ledger/coverShortfall.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { AssetReservation } from "../operation/AssetReservation.ts"
import type { Outpoint } from "../port/Utxo.ts"
import { moveTransaction, putTransaction } from "./moveTransaction.ts"
import { utxosHeld, type OutboundTransaction, type TransactionOutcome } from "./OutboundTransaction.ts"
import { PayoutWallet } from "./PayoutWallet.ts"
import type { PurposeRule } from "./PurposeRule.ts"
import { transactionQueue } from "./queues.ts"
import { suspenseTakenRead } from "../operation/SuspenseTaken.ts"
import { utxoKey, WalletUtxo } from "./WalletUtxo.ts"

/** What ending an outbound transaction reads, beside what moving it does: the UTXOs, the places that it is booked at, and what its purpose needs. */
export const endTransactionReads = (
  rule: PurposeRule,
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
      { _tag: "Balance", account: "suspense", currency },
      suspenseTakenRead(currency),
      ...placeReads(`chain:${network}:payouts`, currency),
      ...placeReads(`chain:${network}:deposits`, currency)
    ]),
    ...rule.endReads(transaction, currencies)
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
    // one whose block is gone is there for nobody until that is seen again; what is spent is so whatever was seen of its block
    const next = state === "FREE" && utxo.state === "GONE" ? utxo.state : state
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
  rule: PurposeRule,
  {
    outcome,
    patch = {},
    transaction
  }: {
    readonly transaction: OutboundTransaction
    readonly outcome: Extract<TransactionOutcome, "done" | "reverted">
    readonly patch?: Partial<Omit<OutboundTransaction, "id" | "phase">>
  }
): ReadonlyArray<Change> => [
  ...moveTransaction(view, rule, {
    before: transaction,
    trigger: "concluded",
    patch: { ...patch, outcome, asked: null, problem: null, endedAt: view.now }
  }).changes,
  ...putUtxos(view, transaction, () => "SPENT"),
  unschedule(transactionQueue(transaction.network), transaction.id)
]

/**
 * Ends an outbound transaction whose replay guard somebody else has used up, whether or not anything was signed for it. Of a set of UTXOs a part may be left:
 * all but those that are `spent` for good are free again. Nothing of ours can take them any more, as each transaction that was signed for the outbound
 * transaction also spends a UTXO that a final foreign one has spent. One that was spent and not found so shows when it is to be spent next; one that is
 * only out of the chain for a moment comes back.
 *
 * The books are left as they are: what the foreign transaction took has gone for nothing that they know of, and shows as a difference
 * between them and the chain.
 */
export const endReplaced = (
  view: View,
  rule: PurposeRule,
  { transaction, spent }: { readonly transaction: OutboundTransaction; readonly spent: ReadonlyArray<Outpoint> }
): ReadonlyArray<Change> => {
  const gone = new Set(spent.map((utxo) => utxoKey(transaction.network, utxo)))
  const now = utxosHeld(transaction)
    .filter((utxo) => !gone.has(utxoKey(transaction.network, utxo)))
    .map(({ txHash, vout }) => ({ txHash, vout }))
  const freed = [...transaction.freed, ...now]
  const patch = { outcome: "replaced", freed, asked: null, problem: null, endedAt: view.now } as const
  const trigger = transaction.phase === "RESERVED" ? "released" : "concluded"
  return [
    ...moveTransaction(view, rule, { before: transaction, trigger, patch }).changes,
    ...putUtxos(view, transaction, (key) => (gone.has(key) ? "SPENT" : "FREE")),
    unschedule(transactionQueue(transaction.network), transaction.id)
  ]
}

/** An outbound transaction that uses up nothing, and why. */
interface Unused {
  readonly transaction: OutboundTransaction
  readonly outcome: "released" | "expired"
  /**
   * Whether the signer has signed something else under its guard all the same: then a number is used up, and not given back. UTXOs are: whatever
   * spends one of them next excludes that. Default false.
   */
  readonly isGuardSigned?: boolean
}

/** Ends an outbound transaction that has used up nothing: it was never signed (`released`), or it is proven that it cannot be included (`expired`). */
export const endUnused = (view: View, rule: PurposeRule, ended: Unused): ReadonlyArray<Change> => {
  const { isGuardSigned = false, outcome, transaction } = ended
  const isNumber = transaction.guard._tag === "Sequence"
  const unused = isGuardSigned && isNumber ? "gap" : unusedSequence(view, transaction)
  if (unused === "gap")
    return outcome === "released" ? fillReleased(view, rule, transaction) : fillExpired(view, rule, transaction)
  return [
    ...moveTransaction(view, rule, {
      before: transaction,
      trigger: outcome === "released" ? "released" : "concluded",
      patch: { outcome, asked: null, problem: null, endedAt: view.now },
      counter: unused.counter
    }).changes,
    ...putUtxos(view, transaction, () => "FREE"),
    unschedule(transactionQueue(transaction.network), transaction.id)
  ]
}

/** What a transaction is that does nothing but use up its sequence number. */
const filling = {
  purpose: "CANCEL",
  payments: [],
  trustlines: [],
  cancelled: [],
  drain: false,
  asked: null,
  problem: null
} as const

/** A transaction of which nothing was signed uses its number up itself, and does nothing else. */
const fillReleased = (view: View, rule: PurposeRule, transaction: OutboundTransaction): ReadonlyArray<Change> => [
  ...putTransaction(view, rule, { before: transaction, after: { ...transaction, ...filling } }),
  schedule(transactionQueue(transaction.network), transaction.id, view.now)
]

/** What was signed stays with its outbound transaction: the number goes over to a new one, which does nothing else. */
const fillExpired = (view: View, rule: PurposeRule, transaction: OutboundTransaction): ReadonlyArray<Change> => {
  const filler: OutboundTransaction = {
    ...transaction,
    ...filling,
    id: view.newId(),
    phase: "RESERVED",
    hashes: [],
    feeMax: 0n,
    signingUntil: null,
    reservedAt: view.now,
    signedAt: null,
    sentAt: null,
    lastSentAt: null,
    blockNumber: null
  }
  const ended = moveTransaction(view, rule, {
    before: transaction,
    trigger: "concluded",
    patch: { outcome: "expired", asked: null, problem: null, endedAt: view.now }
  })
  const queue = transactionQueue(transaction.network)
  return [
    // the account keeps as many open outbound transactions as before: the one ends as the other begins, which also tells what is reserved
    ...ended.changes.filter((change) => !isPut(PayoutWallet, change) && !isPut(AssetReservation, change)),
    ...putTransaction(view, rule, { before: transaction, after: filler }),
    unschedule(queue, transaction.id),
    schedule(queue, filler.id, view.now)
  ]
}
