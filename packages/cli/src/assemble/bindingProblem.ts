import type { Network } from "@bursar/core/money/Network"
import type { BindingConflict } from "@bursar/core/port/KnownNetworks"

/** Says in words for an operator why a name of a network cannot stand for a chain. */
export const bindingProblem = (network: Network, chain: string, conflict: BindingConflict): string =>
  conflict._tag === "OtherChain"
    ? `${network} is chain ${chain} in the configuration, and chain ${conflict.chain.id} in the database: what stands there is on that chain, so give another chain another name, or another database`
    : `${network} is chain ${chain}, which the database knows as ${conflict.name}: a chain has one name`
