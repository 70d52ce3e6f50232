import type { NetworkTraits } from "@bursar/core/money/Network"
import type { NetworkAdapter } from "@bursar/core/port/NetworkAdapter"
import { guardedNetwork } from "@bursar/network-kit/guardedNetwork"
import type { Redacted } from "effect"
import { stellarKeys } from "./Keys.ts"
import { readMemo } from "./readMemo.ts"
import { stellarFormat } from "./send/StellarFormat.ts"
import { makeStellarSender } from "./send/StellarSender.ts"
import { demux, parseStellarAddress } from "./StellarAddress.ts"
import { makeStellarChain, type StellarChain } from "./StellarChain.ts"

/** Stellar and one Horizon of it. */
export interface StellarNetworkSettings {
  readonly traits: NetworkTraits
  /** The pinned assets as code and issuer (`USDC:G…`). */
  readonly assets: ReadonlyArray<string>
  readonly horizonUrl: Redacted.Redacted
  /** Stellar RPC, which must be of the same network. */
  readonly rpcUrl?: Redacted.Redacted
  readonly networkPassphrase: string
  readonly pollIntervalMs?: number
}

/** The adapter of stellar, with what its reader is asked before it is relied on. */
export const stellarNetwork = (
  settings: StellarNetworkSettings
): NetworkAdapter & { readonly reader: StellarChain } => {
  const { traits, ...reading } = settings
  const { assets, horizonUrl, networkPassphrase } = settings
  const reader = makeStellarChain(reading)
  return guardedNetwork({
    traits,
    chainId: networkPassphrase,
    parseAddress: parseStellarAddress,
    accountOf: (address) => demux(address)?.account,
    readMemo,
    keys: stellarKeys,
    codec: stellarFormat({ networkPassphrase, assets }),
    verifyChain: reader.verifyChain,
    reader,
    sender: makeStellarSender({ horizonUrl, networkPassphrase, assets })
  })
}
