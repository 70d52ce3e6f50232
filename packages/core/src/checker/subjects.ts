import type { BookedIncoming, FiatAccount } from "../account/FiatAccount.ts"
import type { Customer } from "../customer/Customer.ts"
import type { Deposit, DepositIdentity } from "../deposit/Deposit.ts"
import { type Job, ownIdOf } from "../engine/Job.ts"
import type { Event } from "../event/Event.ts"
import type { IdempotencyRecord } from "../idempotency/IdempotencyRecord.ts"
import type { PostedLeg } from "../ledger/Leg.ts"
import type { Network } from "../money/Network.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Payout } from "../payout/Payout.ts"
import type { Outpoint } from "../port/Utxo.ts"
import type { Quote } from "../pricing/Quote.ts"

import { sweepableKey, type SweepableDeposit } from "../sweep/SweepableDeposit.ts"
import type { Sweep } from "../sweep/Sweep.ts"
import { operationsOf, type OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { TransactionAttempt } from "../transaction/TransactionAttempt.ts"
import { utxoKey, type WalletUtxo } from "../transaction/WalletUtxo.ts"

/** The kinds of rows that are filed by what they are about, in the order in which rules are shown them. */
export interface SubjectRows {
  readonly customer: Customer
  readonly account: FiatAccount
  readonly operation: Operation
  readonly quote: Quote
  readonly incoming: BookedIncoming
  readonly transaction: OutboundTransaction
  readonly payout: Payout
  readonly attempt: TransactionAttempt
  readonly utxo: WalletUtxo
  readonly sweepable: SweepableDeposit
  readonly sweep: Sweep
  readonly job: Job
  readonly leg: PostedLeg
  readonly event: Event
  readonly deposit: Deposit
  readonly idempotencyRecord: IdempotencyRecord
}

/** A kind of rows that are filed. */
export type SubjectKind = keyof SubjectRows

/** The subject of what spends a UTXO. */
export const utxoSubject = (network: Network, utxo: Outpoint): string => `utxo:${utxoKey(network, utxo)}`

/** The subject of what is swept. */
export const sweepableSubject = (deposit: DepositIdentity): string => `sweepable:${sweepableKey(deposit)}`

/** The subject of what uses a number of an account. */
export const sequenceSubject = (network: Network, account: string, sequence: bigint): string =>
  `sequence:${network}|${account}|${sequence}`

const guardSubjects = ({ guard, network }: OutboundTransaction): ReadonlyArray<string> => {
  if (guard._tag === "Sequence") return [sequenceSubject(network, guard.account, guard.sequence)]
  return guard._tag === "Utxos" ? guard.utxos.map((utxo) => utxoSubject(network, utxo)) : []
}

const texts = (...all: ReadonlyArray<unknown>): ReadonlyArray<string> => all.filter((one) => typeof one === "string")

/**
 * What rows are about: the ids and keys under which they are filed. What has to agree is filed under one of them together. The first is the row's own: exactly
 * one place for every row.
 */
export const subjectsOf: { readonly [K in SubjectKind]: (row: SubjectRows[K]) => readonly [string, ...Array<string>] } =
  {
    customer: ({ id }) => [id],
    account: ({ id }) => [id],
    operation: ({ details: { assigns, quote_id, refund_of, reverses, succeeds }, id }) => [
      id,
      ...texts(quote_id, reverses, refund_of, assigns, succeeds)
    ],
    quote: ({ id }) => [id],
    incoming: ({ operationId }) => [operationId],
    transaction: (transaction) => [transaction.id, ...operationsOf(transaction), ...guardSubjects(transaction)],
    payout: ({ operationId }) => [operationId],
    attempt: ({ transactionId }) => [transactionId],
    utxo: (utxo) => [utxoSubject(utxo.network, utxo)],
    sweepable: (sweepable) => [sweepableSubject(sweepable), sweepable.depositId],
    sweep: ({ deposits, id, sweepTransactionId }) => [
      id,
      ...texts(sweepTransactionId),
      ...deposits.map(sweepableSubject)
    ],
    job: ({ key }) => [ownIdOf(key)],
    leg: ({ operationId }) => [operationId],
    event: ({ resourceId }) => [resourceId],
    deposit: ({ creditedBy, id }) => [id, ...texts(creditedBy)],
    idempotencyRecord: ({ key, resourceId }) => [resourceId ?? `key:${key}`]
  }

/** A row under one of its subjects, or beside one that names it. */
export type Filed = {
  readonly [K in SubjectKind]: {
    readonly kind: K
    readonly subject: string
    readonly row: SubjectRows[K]
    /** Whether what is filed under the subject names the row, and not the row the subject. */
    readonly beside: boolean
    /** What stands for everything in the row; null where nobody asked for it. */
    readonly digest: bigint | null
  }
}[SubjectKind]

/** A span of subjects: from the first on, up to the last, which is no part of it; open where that is null. */
export interface SubjectRange {
  readonly from: string
  readonly to: string | null
}

/** Whether a subject lies in a range. Subjects are ordered by their bytes. */
export const isWithin = ({ from, to }: SubjectRange, subject: string): boolean =>
  subject >= from && (to === null || subject < to)
