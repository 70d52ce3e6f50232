import type { Change } from "../engine/Change.ts"
import { moveOf } from "../engine/Machine.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord, readGroup, readRecord } from "../engine/Records.ts"
import { Refusal } from "../base/Refusal.ts"
import type { View } from "../engine/View.ts"
import { OutboundTransaction, taken } from "./OutboundTransaction.ts"
import { addUnits, PayoutWallet } from "./PayoutWallet.ts"
import type { PurposeRule } from "./PurposeRule.ts"
import { TransactionAttempt } from "./TransactionAttempt.ts"
import { isPending, transactionMachine, type TransactionTrigger } from "./TransactionMachine.ts"

/** The refusal of a command about an outbound transaction that has moved on since it was read: read it again. */
export const staleTransaction = (what: string): Refusal => new Refusal({ code: "stale", message: what })

const walletsOf = ({
  counterId,
  walletId
}: Pick<OutboundTransaction, "counterId" | "walletId">): ReadonlyArray<string> => [
  ...new Set([walletId, counterId].filter((id) => id !== null))
]

/** What moving an outbound transaction reads: itself, the wallets that it takes from, what was signed for it, and what its purpose needs. */
export const transactionReads = (rule: PurposeRule, transaction: OutboundTransaction): ReadonlyArray<Read> => [
  readRecord(OutboundTransaction, transaction.id),
  readGroup(TransactionAttempt, transaction.id),
  ...walletsOf(transaction).map((id) => readRecord(PayoutWallet, id)),
  ...rule.reads(transaction)
]

const committedBy = (transaction: OutboundTransaction | null) =>
  transaction !== null && isPending(transaction.phase) ? taken(transaction) : []

const isOpen = (transaction: OutboundTransaction | null): number =>
  transaction !== null && transaction.phase !== "FINAL" ? 1 : 0

/** An outbound transaction before and after a change. */
export interface TransactionChange {
  /** Null where it begins. */
  readonly before: OutboundTransaction | null
  readonly after: OutboundTransaction
  /** What else changes of the account whose sequence it uses. */
  readonly counter?: Partial<PayoutWallet>
  /** What else changes of the wallet that pays. */
  readonly payer?: Partial<PayoutWallet>
}

/** The wallets of an outbound transaction after it has changed. */
const walletChanges = (
  view: View,
  { after, before, counter = {}, payer = {} }: TransactionChange
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
      putRecord(PayoutWallet, {
        ...wallet,
        committed,
        openTransactions,
        ...(after.counterId === id ? counter : {}),
        ...(pays ? payer : {})
      })
    ]
  })

/** Puts an outbound transaction and what its change means for its wallets and its purpose. The phase stays. */
export const putTransaction = (view: View, rule: PurposeRule, change: TransactionChange): ReadonlyArray<Change> => [
  putRecord(OutboundTransaction, change.after),
  ...walletChanges(view, change),
  ...rule.changed(view, change.before, change.after)
]

/** Whether a trigger moves an outbound transaction from where it stands. */
export const canMoveTransaction = ({ phase }: OutboundTransaction, trigger: TransactionTrigger): boolean =>
  moveOf(transactionMachine, phase, trigger) !== undefined

/** What happens to an outbound transaction, and what else changes of it. */
export interface TransactionMove {
  readonly before: OutboundTransaction
  readonly trigger: TransactionTrigger
  readonly patch?: Partial<Omit<OutboundTransaction, "id" | "phase">>
  readonly counter?: Partial<PayoutWallet>
}

/** An outbound transaction after a trigger, with its changes. A phase that has no such move is a bug of the caller and throws. */
export const moveTransaction = (
  view: View,
  rule: PurposeRule,
  { before, counter = {}, patch = {}, trigger }: TransactionMove
): { readonly transaction: OutboundTransaction; readonly changes: ReadonlyArray<Change> } => {
  const move = moveOf(transactionMachine, before.phase, trigger)
  if (move === undefined) throw new Error(`an outbound transaction that is ${before.phase} cannot be ${trigger}`)
  const transaction: OutboundTransaction = { ...before, ...patch, phase: move.to }
  return { transaction, changes: putTransaction(view, rule, { before, after: transaction, counter }) }
}
