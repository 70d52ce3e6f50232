import type { Timestamp } from "@bursar/core/base/Timestamp"
import { payable, type OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { ChainSender, SendOrder } from "@bursar/core/port/ChainSender"

/**
 * The order of the next transaction of an outbound transaction: what was cancelled is left out, the newest that was signed is replaced. Where
 * what it is for was given up, it only uses up the guard.
 */
export const orderOf = (
  { validityMs }: Pick<ChainSender, "validityMs">,
  transaction: OutboundTransaction,
  now: Timestamp,
  replacing: Uint8Array | null
): SendOrder => {
  const pays = payable(transaction)
  const isGivenUp = transaction.givenUpAfter !== null
  return {
    from: transaction.from,
    guard: transaction.guard,
    payments: (isGivenUp ? [] : transaction.payments)
      .filter(({ operationId }) => operationId === null || pays.includes(operationId))
      .map(({ contract, memo, to, units }) => ({ contract, memo, to, units })),
    validUntil: now + validityMs,
    salt: transaction.salt,
    drain: transaction.drain && !isGivenUp,
    replacing,
    trustlines: transaction.trustlines
  }
}
