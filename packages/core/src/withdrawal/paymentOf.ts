import { ownerOf, ownerReads } from "../custody/claimOrder.ts"
import { ProviderOrder } from "../custody/ProviderOrder.ts"
import type { Change } from "../engine/Change.ts"
import type { Read } from "../engine/Read.ts"
import { putRecord } from "../engine/Records.ts"
import type { View } from "../engine/View.ts"
import { acceptedDestination } from "../destination/acceptedDestination.ts"
import type { Operation } from "../operation/Operation.ts"
import type { NetworkAdapter } from "../port/NetworkAdapter.ts"

/** How parts of an account are addressed on the network of a withdrawal; undefined where no account has any. */
export type PartOf = NetworkAdapter["partOf"]

/** Who says that a payment carried out a withdrawal. Operators mean it alone; a custodian may have paid several withdrawals to one receiver at once. */
export type PaymentSource = "custodian" | "operators"

/**
 * The payments of a transaction of which each would prove a withdrawal, as orders of its network: the one to its receiver, and, where that is an account
 * with a memo, the one to the part of the account that the memo names. They name the receiver and the currency, and not how much: of withdrawals to one
 * receiver the chain would prove each by the same payment, or by the sum of several. None for what pays no destination.
 */
export const provingPayments = (operation: Operation, txHash: string, partOf: PartOf): ReadonlyArray<ProviderOrder> => {
  const { amount, id, network } = operation
  const destination = acceptedDestination(operation)
  if (destination === undefined || network === null) return []
  const { address, memo } = destination
  const part = memo === null ? undefined : partOf?.(address, memo)
  return [address, ...(part === undefined ? [] : [part])].map((to) => ({
    provider: network,
    providerReference: [txHash, to, amount.currency].join("|"),
    operationId: id
  }))
}

/** Whether a transaction would pay two withdrawals by the same payment. `partOf` is that of their network. */
export const isSamePayment = (one: Operation, other: Operation, txHash: string, partOf: PartOf): boolean => {
  const keys = new Set(provingPayments(one, txHash, partOf).map(ProviderOrder.key))
  return provingPayments(other, txHash, partOf).some((payment) => keys.has(ProviderOrder.key(payment)))
}

/** A payment as it is kept for the first withdrawal that it is said to have carried out, whoever says so. */
const asFirst = (payment: ProviderOrder): ProviderOrder => ({
  ...payment,
  providerReference: `${payment.providerReference}|first`
})

/** What `paidOther` and `claimPayments` read. */
export const paymentReads = (payments: ReadonlyArray<ProviderOrder>): ReadonlyArray<Read> =>
  payments.flatMap((one) => [one, asFirst(one)]).flatMap((one) => ownerReads(ProviderOrder.key(one)))

/**
 * Another operation, of whichever tenant, that payments have carried out, so that they carry out none any more; undefined where there is none. One that
 * operators have stated is meant alone, and they state none that has carried out anything.
 */
export const paidOther = (
  view: View,
  payments: ReadonlyArray<ProviderOrder>,
  source: PaymentSource
): string | undefined =>
  payments
    .flatMap((payment) => (source === "operators" ? [payment, asFirst(payment)] : [payment]))
    .flatMap((one) => {
      const owner = ownerOf(view, ProviderOrder.key(one))
      return owner === null || owner === one.operationId ? [] : [owner]
    })
    .at(0)

/** Keeps which withdrawal payments have carried out. Both sources write the first of each: of two that settle at one instant, one alone does. */
export const claimPayments = (
  view: View,
  payments: ReadonlyArray<ProviderOrder>,
  source: PaymentSource
): ReadonlyArray<Change> =>
  payments
    .flatMap((payment) => (source === "operators" ? [payment, asFirst(payment)] : [asFirst(payment)]))
    .filter((one) => ownerOf(view, ProviderOrder.key(one)) === null)
    .map((one) => putRecord(ProviderOrder, one))
