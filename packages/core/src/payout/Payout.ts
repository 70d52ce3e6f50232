import type { Timestamp } from "../base/Timestamp.ts"
import type { Network } from "../money/Network.ts"
import type { TransactionPhase } from "../transaction/TransactionMachine.ts"
import type { Memo } from "../port/Chain.ts"
import type { PayoutOrder } from "./PayoutOrder.ts"
import { defineRecord } from "../engine/Records.ts"

/** How far a payout has come on the way to its network. */
export type PayoutPhase = "HELD" | TransactionPhase

/** Why a payout is in no outbound transaction yet, and when it is tried again. */
export interface PayoutWaits {
  readonly reason: string
  readonly detail: string
  readonly since: Timestamp
  readonly tries: number
}

/**
 * What a CHAIN_PAYOUT pays and how far it has come. It names one outbound transaction at most, so it has one live transaction at most: another
 * outbound transaction is named only after the proof that nothing of the one before can take effect.
 */
export interface Payout {
  readonly operationId: string
  readonly network: Network
  readonly currency: string
  /** The pinned contract of the currency, null for the native asset. */
  readonly contract: string | null
  readonly units: bigint
  /** Canonical. */
  readonly to: string
  readonly memo: Memo | null
  /** Null while it waits to be put into an outbound transaction, and for good where it has failed without one, or was paid by one that nothing is stored of. */
  readonly transactionId: string | null
  /** The outbound transactions that it was in before, oldest first: something was signed for each, and it is proven that none of it can take effect. */
  readonly earlierTransactions: ReadonlyArray<string>
  /** How many outbound transactions it was in. */
  readonly attempts: number
  /** It is not to share a transaction with others. */
  readonly alone: boolean
  readonly waits: PayoutWaits | null
  /** The API key that asked for it, by what may be shown of it (`shownPrefix`), and the operator who reviewed it: never the same. */
  readonly madeBy: string
  readonly reviewedBy: string | null
  /** The operator who wants it not to be paid. */
  readonly cancelledBy: string | null
}

/** A payout as it begins: it waits to be put into an outbound transaction. */
export const newPayout = (
  operationId: string,
  { contract, currency, memo, network, to, units }: PayoutOrder,
  madeBy: string
): Payout => ({
  operationId,
  network,
  currency,
  contract,
  units,
  to,
  memo,
  transactionId: null,
  earlierTransactions: [],
  attempts: 0,
  alone: false,
  waits: null,
  madeBy,
  reviewedBy: null,
  cancelledBy: null
})

/**
 * How far a payout has come: HELD while it is in no outbound transaction, else as far as that one. `transaction` is the one that it
 * names.
 */
export const phaseOfPayout = (
  { operationId, transactionId }: Pick<Payout, "operationId" | "transactionId">,
  transaction: { readonly id: string; readonly phase: TransactionPhase } | undefined
): PayoutPhase => {
  if (transactionId === null) return "HELD"
  if (transaction?.id !== transactionId)
    throw new Error(`payout ${operationId} is in transaction ${transactionId}, which was not given`)
  return transaction.phase
}

/** In how many outbound transactions a payout may be before it is given up as `expired_unsent`. */
export const attemptsMax = 3

/** Payouts by the ids of their operations. */
export const Payout = defineRecord<Payout>({ name: "Payout", key: ({ operationId }) => operationId })
