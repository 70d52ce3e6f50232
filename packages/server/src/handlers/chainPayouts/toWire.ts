import type { ChainPayout } from "@bursar/api/wire/ChainPayout"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import { payoutDetails } from "@bursar/core/payout/payoutDetails"
import { isoOrNull } from "../../wire/moment.ts"
import { money } from "../../wire/money.ts"

/** A chain payout as partners see it. */
export const toWire = (operation: Operation, currencies: CurrencyTable): ChainPayout => {
  const { address, failureReason, fromAddress, memo, review } = payoutDetails(operation)
  return {
    id: operation.id,
    status: operation.status,
    review,
    amount: money(currencies, operation.amount.units, operation.amount.currency),
    network: operation.network,
    destination: { address, memo },
    from_address: fromAddress,
    tx_hash: operation.txHash,
    failure_reason: failureReason,
    reference: operation.partnerReference,
    created_at: toIso(operation.createdAt),
    settled_at: isoOrNull(operation.settledAt),
    unresolved: operation.unresolved
  }
}
