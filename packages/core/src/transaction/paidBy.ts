import type { Payment, TransactionMoves } from "../port/ChainSender.ts"
import type { OutboundTransaction } from "./OutboundTransaction.ts"

const areSame = (one: Payment, other: Payment): boolean =>
  one.to === other.to &&
  one.contract === other.contract &&
  one.units === other.units &&
  one.memo?.type === other.memo?.type &&
  one.memo?.value === other.memo?.value

/**
 * The operations of an outbound transaction that something pays which was signed and got lost, in their order, by what it moves: it may leave out others
 * than those that are known as cancelled. Undefined where it pays somebody else. Of payments that are alike the first count: only the signer knows better.
 */
export const paidBy = (
  { from, payments }: Pick<OutboundTransaction, "from" | "payments">,
  moves: Pick<TransactionMoves, "payments">
): ReadonlyArray<string> | undefined => {
  const left = [...moves.payments]
  const paid = payments.flatMap((payment) => {
    const at = left.findIndex((one) => areSame(one, payment))
    if (at < 0 || payment.operationId === null) return []
    left.splice(at, 1)
    return [payment.operationId]
  })
  // the change
  return left.every(({ to }) => to === from) ? paid : undefined
}
