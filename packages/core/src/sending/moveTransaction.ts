import type { Change } from "../engine/Change.ts"
import { moveOf } from "../engine/Machine.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { AssetAccount } from "../ledger/Account.ts"
import type { Amount } from "../money/Amount.ts"
import { reserveAssets } from "../operation/reserveAssets.ts"
import { syncSweeps, sweepReads } from "../sweep/syncSweeps.ts"
import { addUnits, PayoutWallet } from "../transaction/PayoutWallet.ts"
import { operationsOf, OutboundTransaction, taken } from "../transaction/OutboundTransaction.ts"
import { isPending, transactionMachine, type TransactionTrigger } from "../transaction/TransactionMachine.ts"
import { AssetReservation } from "../operation/AssetReservation.ts"
import { TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { Payout } from "../payout/Payout.ts"
import { Operation } from "../operation/Operation.ts"

/** The refusal of a command about an outbound transaction that has moved on since it was read: read it again. */
export const staleTransaction = (what: string): Refusal => new Refusal({ code: "stale", message: what })

const walletsOf = ({
  counterId,
  walletId
}: Pick<OutboundTransaction, "counterId" | "walletId">): ReadonlyArray<string> => [
  ...new Set([walletId, counterId].filter((id) => id !== null))
]

const placeOf = ({ network }: Pick<OutboundTransaction, "network">): AssetAccount => `chain:${network}:payouts`

/** What moving an outbound transaction reads: itself, the wallets that it takes from, what was signed for it, its sweeps, the payouts that it pays and what is reserved of the wallet's coins. */
export const transactionReads = (transaction: OutboundTransaction): ReadonlyArray<Read> => [
  readRecord(OutboundTransaction, transaction.id),
  readGroup(AssetReservation, placeOf(transaction)),
  readGroup(TransactionAttempt, transaction.id),
  ...sweepReads(transaction),
  ...walletsOf(transaction).map((id) => readRecord(PayoutWallet, id)),
  ...operationsOf(transaction).flatMap((id): ReadonlyArray<Read> => [readRecord(Payout, id), readRecord(Operation, id)])
]

const committedBy = (transaction: OutboundTransaction | null) =>
  transaction !== null && isPending(transaction.phase) ? taken(transaction) : []

/**
 * What an open outbound transaction takes from the wallet in the books once it is done. Its network fee is known only then, and what moves between
 * places of the service is not owed to anybody: neither is reserved.
 */
const reservedBy = (view: View, transaction: OutboundTransaction | null): ReadonlyArray<Amount> =>
  transaction === null || transaction.phase === "FINAL"
    ? []
    : operationsOf(transaction).flatMap((id) => {
        const payout = view.get(Payout, id)
        return payout === undefined ? [] : [{ currency: payout.currency, units: payout.units }]
      })

const isOpen = (transaction: OutboundTransaction | null): number =>
  transaction !== null && transaction.phase !== "FINAL" ? 1 : 0

/** The wallets of an outbound transaction after it has changed. */
const walletChanges = (
  view: View,
  before: OutboundTransaction | null,
  after: OutboundTransaction,
  counter: Partial<PayoutWallet>
): ReadonlyArray<Change> =>
  walletsOf(after).flatMap((id) => {
    const wallet = view.get(PayoutWallet, id)
    if (wallet === undefined) return []
    const pays = after.walletId === id
    const committed = pays
      ? addUnits(addUnits(wallet.committed, committedBy(before), -1n), committedBy(after))
      : wallet.committed
    const openTransactions = wallet.openTransactions + isOpen(after) - isOpen(before)
    return [
      putRecord(PayoutWallet, { ...wallet, committed, openTransactions, ...(after.counterId === id ? counter : {}) })
    ]
  })

/** Puts an outbound transaction and what its change means for its wallets, its sweeps and what is reserved. The phase stays; `counter` is what else changes of the account that gave the number. */
export const putTransaction = (
  view: View,
  before: OutboundTransaction | null,
  after: OutboundTransaction,
  counter: Partial<PayoutWallet> = {}
): ReadonlyArray<Change> => [
  putRecord(OutboundTransaction, after),
  ...walletChanges(view, before, after, counter),
  ...reserveAssets(view, placeOf(after), [
    ...reservedBy(view, before).map(({ currency, units }) => ({ currency, units: -units })),
    ...reservedBy(view, after)
  ]),
  ...syncSweeps(view, before, after)
]

/** Whether a trigger moves an outbound transaction from where it stands. */
export const canMoveTransaction = ({ phase }: OutboundTransaction, trigger: TransactionTrigger): boolean =>
  moveOf(transactionMachine, phase, trigger) !== undefined

/** An outbound transaction after a trigger, with its changes. A phase that has no such move is a bug of the caller and throws. */
export const moveTransaction = (
  view: View,
  before: OutboundTransaction,
  trigger: TransactionTrigger,
  patch: Partial<Omit<OutboundTransaction, "id" | "phase">> = {},
  counter: Partial<PayoutWallet> = {}
): { readonly transaction: OutboundTransaction; readonly changes: ReadonlyArray<Change> } => {
  const move = moveOf(transactionMachine, before.phase, trigger)
  if (move === undefined) throw new Error(`an outbound transaction that is ${before.phase} cannot be ${trigger}`)
  const transaction: OutboundTransaction = { ...before, ...patch, phase: move.to }
  return { transaction, changes: putTransaction(view, before, transaction, counter) }
}

/** The payouts of an outbound transaction that are in it, brought to its phase; `patch` is what else changes of each. */
export const syncPayoutPhases = (view: View, transaction: OutboundTransaction): ReadonlyArray<Change> =>
  operationsOf(transaction).flatMap((id) => {
    const payout = view.get(Payout, id)
    return payout === undefined || payout.transactionId !== transaction.id || payout.phase === transaction.phase
      ? []
      : [putRecord(Payout, { ...payout, phase: transaction.phase })]
  })
