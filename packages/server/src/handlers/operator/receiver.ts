import type { OperatorReview } from "@bursar/api/operator/OperatorReview"
import { acceptedDestination } from "@bursar/core/destination/acceptedDestination"
import { isKind, type Operation } from "@bursar/core/operation/Operation"
import { payoutDetails } from "@bursar/core/payout/payoutDetails"
import { isProvided } from "@bursar/core/transfer/Transfer"
import { payeeOf } from "@bursar/core/transfer/transferOrder"

type Receiver = Pick<OperatorReview, "receiver" | "receiver_name" | "receiver_bank" | "memo" | "new_receiver">

/**
 * Whom an operation pays, as all are told who may let it go. The kind decides where that is read, as it decides where it is sent: a row that
 * says more than its kind has cannot show one receiver and pay another.
 */
export const receiverOf = (operation: Operation): Receiver => {
  const payee = isProvided(operation.kind) ? payeeOf(operation) : null
  const destination = isKind(operation, "CHAIN_PAYOUT", "WITHDRAWAL") ? acceptedDestination(operation) : undefined
  return {
    receiver: payee?.iban ?? payee?.accountNumber ?? destination?.address ?? null,
    receiver_name: payee?.name ?? null,
    receiver_bank: payee?.sortCode ?? payee?.routingNumber ?? payee?.bic ?? null,
    // on stellar the same value is another memo under another type; that of a destination stands there as operators have named it
    memo: isKind(operation, "CHAIN_PAYOUT") ? payoutDetails(operation).memo : (destination?.memo ?? null),
    new_receiver: operation.details.new_address === true
  }
}
