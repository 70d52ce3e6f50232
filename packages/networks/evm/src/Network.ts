import type { NetworkTraits } from "@bursar/core/money/Network"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { guardedNetwork } from "@bursar/network-kit/guardedNetwork"
import { Effect, type Redacted } from "effect"
import { parseEvmAddress } from "./Address.ts"
import { type EvmReader, makeEvmReader } from "./Reader.ts"
import { type EvmNetworkFacts, factsOf } from "./internal/facts.ts"
import { evmKeys } from "./Keys.ts"
import { evmCodec } from "./Codec.ts"
import { makeEvmSender } from "./Sender.ts"

export * from "./internal/facts.ts"

/** An EVM network and one node of it. */
export interface EvmNetworkSettings {
  readonly traits: NetworkTraits
  /** What is known of the network where it is no preset. */
  readonly facts?: EvmNetworkFacts
  /** The pinned token contracts. */
  readonly contracts: ReadonlyArray<string>
  readonly rpcUrl: Redacted.Redacted
  /** The depth at which a transaction is final, in place of the network's finality. */
  readonly confirmations?: number
  readonly traces?: "required" | "off"
  readonly receiptsRoot?: "required" | "off"
  readonly timeoutMs?: number
  readonly callsMax?: number
  /** How many questions the sender puts into one request at most. Default 50; 1 for a node that takes no batches. */
  readonly batchMax?: number
  readonly blockTimeMs?: number
  readonly pollIntervalMs?: number
}

/** The adapter of an EVM network, with what its reader is asked before it is relied on. */
export const evmNetwork = (settings: EvmNetworkSettings): NetworkAdapter & { readonly reader: EvmReader } => {
  const { batchMax, blockTimeMs, pollIntervalMs, traits, ...shared } = settings
  const { name: network } = traits
  const reader = makeEvmReader({
    network,
    ...shared,
    ...(blockTimeMs === undefined ? {} : { blockTimeMs }),
    ...(pollIntervalMs === undefined ? {} : { pollIntervalMs })
  })
  const { capabilities, verifyChain } = reader
  return guardedNetwork({
    traits,
    chainId: String(factsOf({ network, ...shared }).chainId),
    parseAddress: (text) => parseEvmAddress(network, settings.contracts, text),
    keys: evmKeys,
    codec: evmCodec({ network, ...shared }),
    verifyChain,
    reader: { ...reader, capabilities: Effect.andThen(verifyChain, capabilities) },
    sender: makeEvmSender({ network, ...shared, ...(batchMax === undefined ? {} : { batchMax }) })
  })
}
