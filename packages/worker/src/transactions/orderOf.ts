import type { Timestamp } from "@bursar/core/base/Timestamp"
import { payable, type OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { ChainSender, Payment, SendOrder } from "@bursar/core/port/ChainSender"

const asPayment = ({ contract, memo, to, units }: OutboundTransaction["payments"][number]): Payment => ({
  contract,
  memo,
  to,
  units
})

/**
 * The order of the next transaction of an outbound transaction: what was cancelled is left out, and said to be where the newest that was
 * signed is replaced. What operators ask for is insisted on. Where what it is for was given up, it only uses up the guard.
 */
export const orderOf = (
  { validityMs }: Pick<ChainSender, "validityMs">,
  transaction: OutboundTransaction,
  now: Timestamp,
  replacing: Uint8Array | null
): SendOrder => {
  const pays = payable(transaction)
  const isGivenUp = transaction.givenUpAfter !== null
  const { kept = [], cancelled = [] } = Object.groupBy(transaction.payments, ({ operationId }) =>
    operationId === null || pays.includes(operationId) ? "kept" : "cancelled"
  )
  return {
    from: transaction.from,
    guard: transaction.guard,
    payments: isGivenUp ? [] : kept.map(asPayment),
    validUntil: now + validityMs,
    salt: transaction.salt,
    drain: transaction.drain && !isGivenUp,
    replacing,
    ...(replacing !== null && (transaction.asked === "BUMP" || cancelled.length > 0) && { insists: true }),
    ...(cancelled.length > 0 && replacing !== null && { leavesOut: cancelled.map(asPayment) }),
    trustlines: transaction.trustlines
  }
}
