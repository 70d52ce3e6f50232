import type { OperatorSweep, OperatorSweepDetail } from "@bursar/api/operator/OperatorSweep"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Sweep } from "@bursar/core/sweep/Sweep"
import type { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { isoOrNull } from "../../../wire/moment.ts"
import { toldMoney, toldMoneyOrNull } from "../../../wire/money.ts"

/** A sweep as operators see it. */
export const sweepToWire = (sweep: Sweep, currencies: CurrencyTable): OperatorSweep => ({
  id: sweep.id,
  network: sweep.network,
  address_id: sweep.addressId,
  address: sweep.address,
  amount: toldMoney(currencies, sweep.units, sweep.currency),
  state: sweep.state,
  top_up_transaction_id: sweep.topUpTransactionId,
  sweep_transaction_id: sweep.sweepTransactionId,
  deposits: sweep.deposits.map(({ depositId, transferIndex, txHash }) => ({
    deposit_id: depositId,
    tx_hash: txHash,
    transfer_index: transferIndex
  })),
  problem: sweep.problem,
  created_at: toIso(sweep.createdAt),
  ended_at: isoOrNull(sweep.endedAt),
  closed_at: isoOrNull(sweep.closedAt)
})

/** An outbound transaction of a sweep. Fees are paid in the native asset. */
export const transactionToWire = (
  transaction: OutboundTransaction,
  currencies: CurrencyTable
): (typeof OperatorSweepDetail.Type.transactions)[number] => {
  const native = currencies.byAsset(transaction.network, null)
  return {
    transaction_id: transaction.id,
    purpose: transaction.purpose,
    phase: transaction.phase,
    outcome: transaction.outcome,
    hashes: transaction.hashes,
    problem: transaction.problem,
    fee: toldMoneyOrNull(
      currencies,
      transaction.fee === null || native === undefined ? null : { units: transaction.fee, currency: native.code }
    ),
    sent_at: isoOrNull(transaction.sentAt),
    ended_at: isoOrNull(transaction.endedAt)
  }
}
