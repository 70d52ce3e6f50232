import type { Network, NetworkTraits } from "@bursar/core/money/Network"

/** Where people look a network's transactions and addresses up: URLs in which `{hash}` and `{address}` stand for what is looked up. */
export interface Explorer {
  readonly transaction: string
  readonly address: string
}

/** Where operators are led on networks that the configuration says nothing of: explorers of the main networks that each network's own documentation names. */
const mainExplorers: Readonly<Record<Network, Explorer>> = {
  bitcoin: { transaction: "https://mempool.space/tx/{hash}", address: "https://mempool.space/address/{address}" },
  ethereum: { transaction: "https://etherscan.io/tx/{hash}", address: "https://etherscan.io/address/{address}" },
  bsc: { transaction: "https://bscscan.com/tx/{hash}", address: "https://bscscan.com/address/{address}" },
  base: { transaction: "https://basescan.org/tx/{hash}", address: "https://basescan.org/address/{address}" },
  tron: {
    transaction: "https://tronscan.org/#/transaction/{hash}",
    address: "https://tronscan.org/#/address/{address}"
  },
  stellar: {
    transaction: "https://stellar.expert/explorer/public/tx/{hash}",
    address: "https://stellar.expert/explorer/public/account/{address}"
  }
}

/** The explorer of a network: the configured one, else the usual one of a main network; null where there is none. */
export const explorerOf = (
  { environment, name }: Pick<NetworkTraits, "environment" | "name">,
  configured: ReadonlyMap<Network, Explorer | null> = new Map()
): Explorer | null => {
  const set = configured.get(name)
  if (set !== undefined) return set
  return environment === "LIVE" && Object.hasOwn(mainExplorers, name) ? (mainExplorers[name] ?? null) : null
}
