import type { NetworkTraits } from "@bursar/core/money/Network"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { guardedNetwork } from "@bursar/network-kit/guardedNetwork"
import type { Redacted } from "effect"
import { tronKeys } from "./Keys.ts"
import { tronCodec } from "./Codec.ts"
import { makeTronSender } from "./Sender.ts"
import { parseTronAddress } from "./Address.ts"
import { mainnetGenesisBlockId, makeTronReader, type TronReader } from "./Reader.ts"

/** Tron and one node of it. */
export interface TronNetworkSettings {
  readonly traits: NetworkTraits
  /** The pinned TRC-20 contracts in base58. */
  readonly contracts: ReadonlyArray<string>
  readonly nodeUrl: Redacted.Redacted
  /** Where `/walletsolidity` is served, when not by the node's own address. */
  readonly solidityUrl?: Redacted.Redacted
  readonly apiKey?: Redacted.Redacted
  /** What the node must have at height 0, where it is not to be of the main network. */
  readonly genesisBlockId?: string
  /** How long a call to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How many calls to the node are under way at most, for reading and for sending each. Default 8. */
  readonly callsMax?: number
  readonly confirmations?: number
  readonly pollIntervalMs?: number
}

/** The adapter of tron, with what its reader is asked before it is relied on. */
export const tronNetwork = (settings: TronNetworkSettings): NetworkAdapter & { readonly reader: TronReader } => {
  const { apiKey, callsMax, contracts, nodeUrl, solidityUrl, timeoutMs, traits, ...reading } = settings
  const node = {
    nodeUrl,
    contracts,
    ...(solidityUrl === undefined ? {} : { solidityUrl }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(callsMax === undefined ? {} : { callsMax })
  }
  const reader = makeTronReader({ ...node, ...reading })
  return guardedNetwork({
    traits,
    chainId: settings.genesisBlockId ?? mainnetGenesisBlockId,
    parseAddress: (text) => parseTronAddress(contracts, text),
    keys: tronKeys,
    codec: tronCodec({ contracts }),
    verifyChain: reader.verifyChain,
    reader,
    sender: makeTronSender(node)
  })
}
