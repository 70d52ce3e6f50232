import type { Destination as WireDestination } from "@bursar/api/wire/Destination"
import type { Withdrawal } from "@bursar/api/wire/Withdrawal"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import type { Destination, DestinationState } from "@bursar/core/destination/Destination"
import { isoOrNull } from "../../wire/moment.ts"
import { money, moneyOrNull } from "../../wire/money.ts"

/** A withdrawal as partners see it. The transaction is told when it is certain. */
export const toWire = (operation: Operation, currencies: CurrencyTable): Withdrawal => {
  const { destination } = operation.details
  return {
    id: operation.id,
    status: operation.status,
    amount: money(currencies, operation.amount.units, operation.amount.currency),
    customer_fee: money(currencies, operation.customerFee.units, operation.customerFee.currency),
    destination: destination?.address ?? null,
    destination_memo: destination?.memo ?? null,
    partner_reference: operation.partnerReference,
    provider_reference: operation.providerReference,
    network_fee: moneyOrNull(currencies, operation.networkFee),
    tx_hash: operation.txHash,
    created_at: toIso(operation.createdAt),
    settled_at: isoOrNull(operation.settledAt),
    unresolved: operation.unresolved
  }
}

/** A destination as partners see it: `verified` says that it receives now. */
export const destinationToWire = (destination: Destination, state: DestinationState): WireDestination => ({
  currency: destination.currency,
  address: destination.address,
  memo: destination.memo,
  label: destination.label,
  verified: state === "RECEIVING",
  verified_at: isoOrNull(destination.verifiedAt),
  rejected_at: isoOrNull(destination.rejectedAt),
  rejected_reason: destination.rejectedReason
})
