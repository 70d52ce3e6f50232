import { type DepositAddress, serviceHoldsKey } from "../address/DepositAddress.ts"
import type { NetworkTable } from "../money/Network.ts"

/**
 * Whether the service sweeps an address now: it has the key and nothing holds it. Null where it has no key. An imported account that
 * must keep a reserve is never swept: what it has to keep is its owner's to say. Nothing is swept on a network that was taken out of the
 * configuration.
 */
export const isSwept = (
  { network, origin, sweepHold }: Pick<DepositAddress, "network" | "origin" | "sweepHold">,
  networks: NetworkTable
): boolean | null =>
  serviceHoldsKey(origin)
    ? networks.has(network) && sweepHold === null && !(networks.of(network).provisioned && origin === "IMPORTED")
    : null
