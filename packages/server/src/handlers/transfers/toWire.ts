import type { Transfer } from "@bursar/api/wire/Transfer"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import type { TransferKind } from "@bursar/core/transfer/Transfer"
import { isTransfer } from "@bursar/core/transfer/Transfer"
import { leftWithReceiver } from "@bursar/core/transfer/transferState"
import { isoOrNull } from "../../wire/moment.ts"
import { money, moneyOrNull } from "../../wire/money.ts"

/** An operation that is a fiat transfer. */
export type TransferOperation = Operation<TransferKind>

/** Whether an operation is a fiat transfer. */
export const isTransferOperation = (operation: Operation): operation is TransferOperation => isTransfer(operation.kind)

/**
 * A transfer as partners see it. What was received is what was promised, until the provider has told; nothing once it failed, and what
 * is left of it once some came back.
 */
export const toWire = (operation: TransferOperation, currencies: CurrencyTable): Transfer => {
  return {
    id: operation.id,
    kind: operation.kind,
    status: operation.status,
    amount: money(currencies, operation.amount.units, operation.amount.currency),
    customer_fee: money(currencies, operation.customerFee.units, operation.customerFee.currency),
    amount_received: moneyOrNull(
      currencies,
      leftWithReceiver(operation, operation.toAmount ?? operation.toAmountQuoted)
    ),
    quote_id: operation.details.quote_id ?? null,
    partner_reference: operation.partnerReference,
    provider_reference: operation.providerReference,
    created_at: toIso(operation.createdAt),
    settled_at: isoOrNull(operation.settledAt),
    unresolved: operation.unresolved
  }
}
