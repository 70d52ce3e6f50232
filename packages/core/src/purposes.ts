import { payoutConditions, payoutRule } from "./payout/payoutRule.ts"
import type { Leaving } from "./leaving/rules.ts"
import { lendingRule } from "./provisioning/lendingRule.ts"
import type { Sweep } from "./sweep/Sweep.ts"
import { sweepConditions } from "./sweep/sweepObjection.ts"
import { sweepRule, topUpRule } from "./sweep/sweepRule.ts"
import type { OutboundTransaction } from "./transaction/OutboundTransaction.ts"
import { outOfReach, type Reached } from "./environment/reach.ts"
import { nothingFollows, type PurposeRules, type SigningConditions, unconditional } from "./transaction/PurposeRule.ts"

/**
 * What the features do as outbound transactions live and end, by what a transaction is for. What an account of the service is funded or
 * gets trustlines by needs no rule: how the account stands is read from the chain.
 */
export const purposes: PurposeRules = {
  of: {
    PAYOUT: payoutRule,
    SWEEP: sweepRule,
    TOP_UP: topUpRule,
    CANCEL: nothingFollows,
    CHANNEL: nothingFollows,
    PROVISIONING: nothingFollows
  },
  lending: lendingRule
}

/** What an outbound transaction is for, as it was read, and the network that it is sent on. */
export interface ToSign {
  readonly payouts: ReadonlyArray<Leaving>
  readonly sweeps: ReadonlyArray<Sweep>
  readonly network: Reached
}

const conditionsOf = (
  { purpose }: Pick<OutboundTransaction, "purpose">,
  { network, payouts, sweeps }: ToSign
): SigningConditions => {
  if (purpose === "PAYOUT") return payoutConditions(payouts, network)
  return purpose === "SWEEP" ? sweepConditions(sweeps) : unconditional(purpose)
}

/** What has to hold for an outbound transaction to be signed. Whatever it is for, its network is one of the tenant's environment. */
export const signingConditions = (
  transaction: Pick<OutboundTransaction, "purpose">,
  toSign: ToSign
): SigningConditions => {
  const conditions = conditionsOf(transaction, toSign)
  return {
    ...conditions,
    objection: (view, signed) => outOfReach(view.tenant, toSign.network) ?? conditions.objection(view, signed)
  }
}
