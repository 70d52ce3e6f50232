import type { Payment, TransactionMoves } from "../port/ChainSender.ts"
import type { OutboundTransaction } from "./OutboundTransaction.ts"

const areSame = (one: Payment, other: Payment): boolean =>
  one.to === other.to &&
  one.contract === other.contract &&
  one.units === other.units &&
  one.memo?.type === other.memo?.type &&
  one.memo?.value === other.memo?.value

/** How many ways to choose among alike payments are looked at: each is asked of the signer. */
const choicesMax = 50

/** So many of some operations, in their order, in every way up to the greatest number: the first of them first. */
const choices = (ids: ReadonlyArray<string>, count: number): ReadonlyArray<ReadonlyArray<string>> => {
  const [id, ...others] = ids
  if (count === 0) return [[]]
  if (id === undefined || count > ids.length) return []
  const some = choices(others, count - 1).map((more) => [id, ...more])
  return some.length < choicesMax ? [...some, ...choices(others, count)].slice(0, choicesMax) : some
}

/**
 * The operations of an outbound transaction that something pays which was signed and got lost, in their order, by what it moves: it may leave out others
 * than those that are known as cancelled. Of payments that are alike only the signer knows which it pays: each choice is one of the replies. None where it
 * pays somebody else.
 */
export const paidBy = (
  { from, payments }: Pick<OutboundTransaction, "from" | "payments">,
  moves: Pick<TransactionMoves, "payments">
): ReadonlyArray<ReadonlyArray<string>> => {
  const left = [...moves.payments]
  const groups: Array<{ readonly like: Payment; readonly ids: Array<string>; count: number }> = []
  for (const payment of payments) {
    if (payment.operationId === null) continue
    const group = groups.find(({ like }) => areSame(like, payment)) ?? { like: payment, ids: [], count: 0 }
    if (group.ids.length === 0) groups.push(group)
    group.ids.push(payment.operationId)
    const at = left.findIndex((one) => areSame(one, payment))
    if (at < 0) continue
    left.splice(at, 1)
    group.count += 1
  }
  // the change
  if (!left.every(({ to }) => to === from)) return []
  const order = payments.map(({ operationId }) => operationId)
  return groups
    .reduce<ReadonlyArray<ReadonlyArray<string>>>(
      (made, { count, ids }) =>
        made.flatMap((one) => choices(ids, count).map((more) => [...one, ...more])).slice(0, choicesMax),
      [[]]
    )
    .map((ids) => ids.toSorted((one, other) => order.indexOf(one) - order.indexOf(other)))
}
