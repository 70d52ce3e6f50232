import type { Timestamp } from "@bursar/core/engine/Timestamp"
import { payable, type Spend } from "@bursar/core/outbound/Spend"
import type { ChainSender, SendOrder } from "@bursar/core/port/ChainSender"

/** The order of the next transaction of a spend: what was cancelled is left out, the newest that was signed is replaced. */
export const orderOf = (
  { validityMs }: Pick<ChainSender, "validityMs">,
  spend: Spend,
  now: Timestamp,
  replacing: Uint8Array | null
): SendOrder => {
  const pays = payable(spend)
  return {
    from: spend.from,
    token: spend.token,
    payments: spend.payments
      .filter(({ operationId }) => operationId === null || pays.includes(operationId))
      .map(({ contract, memo, to, units }) => ({ contract, memo, to, units })),
    validUntil: now + validityMs,
    salt: spend.salt,
    drain: spend.drain,
    replacing,
    agreesTo: spend.agreesTo
  }
}
