import type { View } from "../engine/View.ts"
import type { Network } from "../money/Network.ts"
import type { NetworkSwitch } from "../port/NetworkSwitches.ts"

/**
 * Why a tenant's chain payouts are switched off on a network; undefined where they are on. Then none is taken, and none that waits is
 * put into an outbound transaction. What was put into one goes on to its end.
 */
export const switchedOffFor = ({ tenant }: Pick<View, "tenant">, network: Network): string | undefined => {
  const { policy, status } = tenant
  if (status !== "ACTIVE") return `The tenant is ${status}.`
  if (!policy.payoutsEnabled) return "Chain payouts are off for the tenant."
  return policy.payoutsOffOn.includes(network) ? `Chain payouts on ${network} are off for the tenant.` : undefined
}

/** Why nobody's chain payouts are made on a network: an operator or the configuration has switched it off. Null where they are made. */
export const switchedOffForAll = (
  switches: ReadonlyArray<NetworkSwitch>,
  configured: ReadonlyArray<Network>,
  network: Network
): string | null =>
  configured.includes(network) || switches.some((one) => one.network === network && one.payoutsOff)
    ? `Chain payouts on ${network} are switched off.`
    : null
