import type { NetworkTraits } from "@bursar/core/money/Network"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { guardedNetwork } from "@bursar/network-kit/guardedNetwork"
import type { Redacted } from "effect"
import { parseBitcoinAddress } from "./Address.ts"
import { type BitcoinReader, makeBitcoinReader } from "./Reader.ts"
import type { BitcoinChainName } from "./internal/facts.ts"
import { bitcoinKeys } from "./Keys.ts"
import { bitcoinCodec } from "./Codec.ts"
import { makeBitcoinSender } from "./Sender.ts"

export * from "./internal/facts.ts"

/** Bitcoin and one node of it. */
export interface BitcoinNetworkSettings {
  readonly traits: NetworkTraits
  readonly rpcUrl: Redacted.Redacted
  /** The chain that the node must be on. */
  readonly chain: BitcoinChainName
  readonly confirmations?: number
  /** Blocks after which a foreign transaction that spends one of its UTXOs proves that a transaction can never take effect. */
  readonly conflictConfirmations?: number
  /** How long a call to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How many calls to the node are under way at most, for reading and for sending each. Default 8. */
  readonly callsMax?: number
  readonly pollIntervalMs?: number
}

/** What a node has nothing to estimate from is paid at on a private chain: 2 satoshi per virtual byte. */
const regtestFeeRate = 2_000n

/** The adapter of bitcoin, with what its reader is asked before it is relied on. */
export const bitcoinNetwork = ({
  pollIntervalMs,
  traits,
  ...shared
}: BitcoinNetworkSettings): NetworkAdapter & { readonly reader: BitcoinReader } => {
  const { chain } = shared
  const reader = makeBitcoinReader({ ...shared, ...(pollIntervalMs === undefined ? {} : { pollIntervalMs }) })
  return guardedNetwork({
    traits,
    chainId: chain,
    parseAddress: (text) => parseBitcoinAddress(chain, text),
    keys: bitcoinKeys(chain),
    codec: bitcoinCodec({ chain }),
    verifyChain: reader.verifyChain,
    reader,
    sender: makeBitcoinSender({ ...shared, ...(chain === "regtest" ? { fallbackFeeRate: regtestFeeRate } : {}) })
  })
}
