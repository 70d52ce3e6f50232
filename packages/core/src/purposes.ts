import { payoutConditions, payoutRule } from "./payout/payoutRule.ts"
import type { Leaving } from "./leaving/rules.ts"
import { lendingRule } from "./provisioning/lendingRule.ts"
import type { Sweep } from "./sweep/Sweep.ts"
import { sweepConditions } from "./sweep/sweepObjection.ts"
import { sweepRule, topUpRule } from "./sweep/sweepRule.ts"
import type { OutboundTransaction } from "./transaction/OutboundTransaction.ts"
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

/** What has to hold for an outbound transaction to be signed, as those that it pays or moves for were read. */
export const signingConditions = (
  { purpose }: Pick<OutboundTransaction, "purpose">,
  { payouts, sweeps }: { readonly payouts: ReadonlyArray<Leaving>; readonly sweeps: ReadonlyArray<Sweep> }
): SigningConditions => {
  if (purpose === "PAYOUT") return payoutConditions(payouts)
  return purpose === "SWEEP" ? sweepConditions(sweeps) : unconditional(purpose)
}
