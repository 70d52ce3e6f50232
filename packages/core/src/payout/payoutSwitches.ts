import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import type { View } from "../engine/View.ts"
import type { Network } from "../money/Network.ts"

/**
 * Why a tenant's chain payouts are switched off on a network; undefined where they are on. Then none is taken, and none that waits is
 * put into a spend. What was put into one goes on to its end.
 */
export const switchedOffFor = ({ tenant }: Pick<View, "tenant">, network: Network): string | undefined => {
  const { policy, status } = tenant
  if (status !== "ACTIVE") return `The tenant is ${status}.`
  if (!policy.payoutsEnabled) return "Chain payouts are off for the tenant."
  return policy.payoutsOffOn.includes(network) ? `Chain payouts on ${network} are off for the tenant.` : undefined
}

/** Asks whether payouts of the tenant may be sent on a network now. Replies why not, else null. */
export const askSwitches = (network: Network): Command<string | null> => ({
  name: "AskSwitches",
  reads: [],
  decide: (view) => Result.succeed({ changes: [], reply: switchedOffFor(view, network) ?? null })
})
