import type { Timestamp } from "@bursar/core/base/Timestamp"
import { payable, type OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import type { ChainSender, SendOrder } from "@bursar/core/port/ChainSender"

/** The order of the next transaction of an outbound transaction: what was cancelled is left out, the newest that was signed is replaced. */
export const orderOf = (
  { validityMs }: Pick<ChainSender, "validityMs">,
  transaction: OutboundTransaction,
  now: Timestamp,
  replacing: Uint8Array | null
): SendOrder => {
  const pays = payable(transaction)
  return {
    from: transaction.from,
    guard: transaction.guard,
    payments: transaction.payments
      .filter(({ operationId }) => operationId === null || pays.includes(operationId))
      .map(({ contract, memo, to, units }) => ({ contract, memo, to, units })),
    validUntil: now + validityMs,
    salt: transaction.salt,
    drain: transaction.drain,
    replacing,
    trustlines: transaction.trustlines
  }
}
