import { ownerOf, ownerReads } from "../custody/claimOrder.ts"
import { ProviderOrder } from "../custody/ProviderOrder.ts"
import type { Read } from "../engine/Read.ts"
import type { View } from "../engine/View.ts"
import { acceptedDestination } from "../destination/acceptedDestination.ts"
import type { Operation } from "../operation/Operation.ts"
import type { NetworkAdapter } from "../port/NetworkAdapter.ts"

/**
 * The payment by which a transaction carries out a withdrawal, as an order of its network. It names the receiver and the currency, and not how much:
 * of withdrawals to one receiver the chain would prove each by the same payment, or by the sum of several. Undefined for what pays no destination.
 */
export const paymentOf = (operation: Operation, txHash: string): ProviderOrder | undefined => {
  const { amount, id, network } = operation
  const destination = acceptedDestination(operation)
  return destination === undefined || network === null
    ? undefined
    : {
        provider: network,
        providerReference: [txHash, destination.address, amount.currency].join("|"),
        operationId: id
      }
}

/**
 * Whether the payment to a part of an account that has an address of its own may be the one to the account with a memo: the chain proves both by it, where
 * the memo is the number of the part.
 */
const mayBeToPart = (whole: Operation, part: Operation, accountOf: NetworkAdapter["accountOf"]): boolean => {
  const [to, paid] = [acceptedDestination(whole), acceptedDestination(part)]
  return (
    to !== undefined &&
    to.memo !== null &&
    paid !== undefined &&
    accountOf?.(paid.address) === to.address &&
    whole.network === part.network &&
    whole.amount.currency === part.amount.currency
  )
}

/** Whether a transaction would pay two withdrawals by the same payment. `accountOf` is that of their network. */
export const isSamePayment = (
  one: Operation,
  other: Operation,
  txHash: string,
  accountOf: NetworkAdapter["accountOf"]
): boolean => {
  const [first, second] = [paymentOf(one, txHash), paymentOf(other, txHash)]
  return (
    first !== undefined &&
    second !== undefined &&
    (ProviderOrder.key(first) === ProviderOrder.key(second) ||
      mayBeToPart(one, other, accountOf) ||
      mayBeToPart(other, one, accountOf))
  )
}

/** What `payeeOf` reads. */
export const payeeReads = (payment: ProviderOrder | undefined): ReadonlyArray<Read> =>
  payment === undefined ? [] : ownerReads(ProviderOrder.key(payment))

/** The operation that operators have said that a payment carried out, of whichever tenant; null where they have said it of none. */
export const payeeOf = (view: View, payment: ProviderOrder | undefined): string | null =>
  payment === undefined ? null : ownerOf(view, ProviderOrder.key(payment))
