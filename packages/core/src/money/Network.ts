/** The six networks of the partner contract. */
export const networks = ["tron", "ethereum", "bsc", "base", "bitcoin", "stellar"] as const

/** The name of a network, as it stands in requests and records. */
export type Network = (typeof networks)[number]

/** Whether a text names one of the six networks. */
export const isNetwork = (text: string): text is Network => (networks as ReadonlyArray<string>).includes(text)

const evmNetworks: ReadonlyArray<Network> = ["ethereum", "bsc", "base"]

/** Whether the network is an EVM chain: one secp256k1 key has the same address on all of them. */
export const isEvm = (network: Network): boolean => evmNetworks.includes(network)

/** The networks on which the same key has the same address, the network itself first. */
export const siblings = (network: Network): ReadonlyArray<Network> =>
  isEvm(network) ? [network, ...evmNetworks.filter((other) => other !== network)] : [network]
