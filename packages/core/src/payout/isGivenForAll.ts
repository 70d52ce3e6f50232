import { type OutboundTransaction, receiverKey } from "../transaction/OutboundTransaction.ts"
import { isDenied, isSetAside, type PayoutEvidence } from "./PayoutEvidence.ts"

/**
 * Whether a transaction was given as evidence for all payouts of an outbound transaction that it may have made, those that were cancelled too. Of those
 * that pay one receiver in the same way it speaks for one: where the chain has not denied that one, the others cannot have it.
 */
export const isGivenForAll = (
  { payments }: Pick<OutboundTransaction, "payments">,
  evidence: ReadonlyArray<PayoutEvidence>,
  hash: string
): boolean => {
  const given = evidence.filter(({ txHash }) => txHash === hash)
  const spokenFor = new Set(
    payments
      .filter(({ operationId }) =>
        given.some((one) => one.operationId === operationId && !isDenied(one) && !isSetAside(one))
      )
      .map(receiverKey)
  )
  return payments.every(
    (payment) =>
      payment.operationId === null ||
      spokenFor.has(receiverKey(payment)) ||
      given.some(({ operationId }) => operationId === payment.operationId)
  )
}
