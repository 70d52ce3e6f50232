import type { NetworkTable } from "@bursar/core/money/Network"
import { canonicalHash } from "@bursar/core/payout/PayoutEvidence"

/** The hash of a transaction or a block as its network writes it; what is none, or is of a network that is not known here, as it was given. */
export const writtenHash = (networks: NetworkTable, network: string, given: string): string =>
  networks.has(network) ? (canonicalHash(networks.of(network), given) ?? given) : given
