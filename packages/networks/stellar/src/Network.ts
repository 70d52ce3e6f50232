import type { NetworkTraits } from "@bursar/core/money/Network"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { guardedNetwork } from "@bursar/network-kit/guardedNetwork"
import type { Redacted } from "effect"
import { stellarKeys } from "./Keys.ts"
import { partOf } from "./internal/build/partOf.ts"
import { readMemo } from "./internal/build/readMemo.ts"
import { stellarCodec } from "./Codec.ts"
import { makeStellarSender } from "./Sender.ts"
import { demux, parseStellarAddress } from "./Address.ts"
import { makeStellarReader, type StellarReader } from "./Reader.ts"

/** Stellar and one Horizon of it. */
export interface StellarNetworkSettings {
  readonly traits: NetworkTraits
  /** The pinned assets as code and issuer (`USDC:G…`). */
  readonly assets: ReadonlyArray<string>
  readonly horizonUrl: Redacted.Redacted
  /** Stellar RPC, which must be of the same network. */
  readonly rpcUrl?: Redacted.Redacted
  readonly networkPassphrase: string
  /** How long a call to the node may take. Default 20,000. */
  readonly timeoutMs?: number
  /** How many calls to the node are under way at most, for reading and for sending each. Default 4. */
  readonly callsMax?: number
  readonly pollIntervalMs?: number
}

/** The adapter of stellar, with what its reader is asked before it is relied on. */
export const stellarNetwork = (
  settings: StellarNetworkSettings
): NetworkAdapter & { readonly reader: StellarReader } => {
  const { traits, ...reading } = settings
  const { assets, callsMax, horizonUrl, networkPassphrase, timeoutMs } = settings
  const reader = makeStellarReader(reading)
  return guardedNetwork({
    traits,
    chainId: networkPassphrase,
    parseAddress: parseStellarAddress,
    accountOf: (address) => demux(address)?.account,
    partOf,
    readMemo,
    keys: stellarKeys,
    codec: stellarCodec({ networkPassphrase, assets }),
    verifyChain: reader.verifyChain,
    reader,
    sender: makeStellarSender({
      horizonUrl,
      networkPassphrase,
      assets,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(callsMax === undefined ? {} : { callsMax })
    })
  })
}
