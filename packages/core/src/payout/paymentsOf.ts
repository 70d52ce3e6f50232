import type { CurrencyTable } from "../money/Currency.ts"
import { isKind, type Operation } from "../operation/Operation.ts"
import type { Objection } from "../operation/waits.ts"
import type { OutboundTransaction } from "../transaction/OutboundTransaction.ts"
import type { Payout } from "./Payout.ts"

/** What is paid to whom, by whatever says it. */
interface Paid {
  readonly units: bigint
  readonly to: string
  readonly memo: { readonly type: string; readonly value: string } | null
}

const pays = (operation: Operation, { memo, to, units }: Paid): boolean => {
  if (!isKind(operation, "CHAIN_PAYOUT")) return false
  const { destination } = operation.details
  return (
    operation.amount.units === units &&
    destination?.address === to &&
    (destination.memo ?? null) === (memo?.value ?? null) &&
    (destination.memo_type ?? null) === (memo?.type ?? null)
  )
}

const strange = (detail: string): Objection => ({ reason: "not_granted", detail })

/**
 * Why the payout of an operation is not the one that the operation tells of: then somebody has written one of them. What people approve, and what
 * is priced, is the operation; what is sent is the payout.
 */
export const notItself = (operation: Operation, payout: Payout | undefined): Objection | undefined =>
  payout !== undefined &&
  payout.currency === operation.amount.currency &&
  payout.network === operation.network &&
  pays(operation, payout)
    ? undefined
    : strange("what it is to pay is not what its operation says: somebody else has written one of them")

/**
 * Why what a transaction pays is not what its operations tell of; undefined where it pays each of them once, what was cancelled aside, and
 * nobody else.
 */
export const paysOthers = (
  { cancelled, network, payments }: Pick<OutboundTransaction, "cancelled" | "network" | "payments">,
  operations: ReadonlyArray<Operation>,
  currencies: CurrencyTable
): Objection | undefined => {
  const wanted = payments.filter(({ operationId }) => operationId === null || !cancelled.includes(operationId))
  const left = new Map(operations.map((operation) => [operation.id, operation]))
  for (const payment of wanted) {
    const operation = payment.operationId === null ? undefined : left.get(payment.operationId)
    const asset = operation && currencies.byCode(operation.amount.currency)?.asset
    if (
      operation === undefined ||
      asset?.network !== network ||
      asset.contract !== payment.contract ||
      !pays(operation, payment)
    )
      return strange(`the transaction pays ${payment.units} to ${payment.to}, which is not what its operation says`)
    left.delete(operation.id)
  }
  return left.size === 0 ? undefined : strange("the transaction does not pay one of its operations")
}
