import type { OperatorPayout, OperatorAttempt, OperatorWallet } from "@bursar/api/operator/OperatorPayout"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import type { PayoutWallet } from "@bursar/core/transaction/PayoutWallet"
import type { TransactionAttempt } from "@bursar/core/transaction/TransactionAttempt"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { type Payout, phaseOfPayout } from "@bursar/core/payout/Payout"
import type { PayoutEvidence } from "@bursar/core/payout/PayoutEvidence"
import { payoutDetails } from "@bursar/core/payout/payoutDetails"
import { isoOrNull } from "../../../wire/moment.ts"
import { toldMoney, toldMoneyOrNull } from "../../../wire/money.ts"

/** All that is stored of a payout. */
export interface WholePayout {
  readonly operation: Operation
  readonly payout: Payout | undefined
  /** The outbound transaction that it names. */
  readonly transaction: OutboundTransaction | undefined
  /** What was signed for it, oldest first, each with its outbound transaction: that one, or one before. */
  readonly signed: ReadonlyArray<{ readonly transaction: OutboundTransaction; readonly attempt: TransactionAttempt }>
  readonly evidence: ReadonlyArray<PayoutEvidence>
}

/** A wallet as operators see it. */
export const walletToWire = (wallet: PayoutWallet): OperatorWallet => ({
  id: wallet.id,
  network: wallet.network,
  role: wallet.role,
  address: wallet.address,
  custody: wallet.custodied?.custody ?? null,
  next_sequence: wallet.nextSequence?.toString() ?? null,
  open_transactions: wallet.openTransactions,
  created_at: toIso(wallet.createdAt)
})

/** A transaction that was signed for a payout, as operators see it. */
export const attemptToWire = ({ transaction, attempt: sent }: WholePayout["signed"][number]): OperatorAttempt => ({
  hash: sent.hash,
  transaction_id: transaction.id,
  transaction_outcome: transaction.outcome,
  replaces: sent.replaces,
  valid_until: isoOrNull(sent.validUntil),
  signed_at: toIso(sent.signedAt),
  sent_at: isoOrNull(sent.sentAt)
})

/** What an operator knows of an operation, as operators see it. */
export const evidenceToWire = (one: PayoutEvidence): OperatorPayout["evidence"][number] => ({
  tx_hash: one.txHash,
  note: one.note,
  given_by: one.givenBy,
  given_at: toIso(one.givenAt),
  verdict: one.verdict,
  found: one.found,
  checked_at: isoOrNull(one.checkedAt)
})

/** A payout as operators see it. */
export const payoutToWire = (
  { evidence, operation, payout, signed, transaction }: WholePayout,
  currencies: CurrencyTable
): OperatorPayout => {
  const { address, failureReason, memo, review } = payoutDetails(operation)
  return {
    id: operation.id,
    status: operation.status,
    unresolved: operation.unresolved,
    review,
    amount: toldMoney(currencies, operation.amount.units, operation.amount.currency),
    customer_fee: toldMoney(currencies, operation.customerFee.units, operation.customerFee.currency),
    network_fee: toldMoneyOrNull(currencies, operation.networkFee),
    network: operation.network,
    address,
    memo,
    failure_reason: failureReason,
    phase: payout === undefined ? null : phaseOfPayout(payout, transaction),
    waits_for: payout?.waits?.detail ?? null,
    problem: transaction?.problem ?? null,
    asked: transaction?.asked ?? null,
    made_by: payout?.madeBy ?? null,
    reviewed_by: payout?.reviewedBy ?? null,
    cancelled_by: payout?.cancelledBy ?? null,
    provider_reference: operation.providerReference,
    tx_hash: operation.txHash,
    created_at: toIso(operation.createdAt),
    settled_at: isoOrNull(operation.settledAt),
    attempts: signed.map(attemptToWire),
    evidence: evidence.toSorted((one, other) => one.givenAt - other.givenAt).map(evidenceToWire)
  }
}
