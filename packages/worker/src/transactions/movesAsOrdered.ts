import type { Payment, SendOrder, TransactionMoves } from "@bursar/core/port/ChainSender"

const textOf = ({ contract, memo, to, units }: Payment): string =>
  JSON.stringify([to, contract, units.toString(), memo?.type, memo?.value])

const areSame = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.toSorted().join("\n") === other.toSorted().join("\n")

/** What an order moves, of an outbound transaction that pays nobody else. */
type Ordered = Pick<SendOrder, "drain" | "from" | "guard" | "payments" | "trustlines">

/**
 * Whether a transaction that uses up the guard of an order, and that nobody has signed a request for, moves just what the order does: one that moves
 * something else may have been signed under the same guard. UTXOs are given whole, less the fee, to the one receiver of the order or back to its payer.
 */
export const movesAsOrdered = (
  { drain, from, guard, payments, trustlines = [] }: Ordered,
  moved: TransactionMoves
): boolean => {
  const agreed = moved.trustlines ?? []
  if (agreed.some(({ account }) => account !== from)) return false
  const contracts = agreed.map(({ contract }) => contract)
  if (!areSame(contracts, trustlines)) return false
  if (guard._tag !== "Utxos") return areSame(moved.payments.map(textOf), payments.map(textOf))
  const receivers = drain ? payments.map(({ to }) => to) : [from]
  return moved.payments.every(({ to }) => receivers.includes(to))
}
