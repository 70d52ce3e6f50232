import type { NetworkTraits } from "@bursar/core/money/Network"
import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import type { AdapterWorld } from "./adapter/AdapterWorld.ts"
import { addressTests } from "./adapter/addressTests.ts"
import { codecTests } from "./adapter/codecTests.ts"
import { keyTests } from "./adapter/keyTests.ts"
import { otherChainTests } from "./adapter/otherChainTests.ts"
import { traitTests } from "./adapter/traitTests.ts"
import type { ChainWorld } from "./chain/ChainWorld.ts"
import { type ChainReaderSuiteOptions, chainReaderSuite } from "./chainReaderSuite.ts"
import { type ChainSenderSuiteOptions, chainSenderSuite } from "./chainSenderSuite.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"
import type { SenderWorld } from "./sender/SenderWorld.ts"

/** A network whose adapter is tested: what it is, what it can show, and the worlds in which it is tested. */
export interface NetworkAdapterEntry extends SuiteOptions {
  readonly name: string
  readonly traits: NetworkTraits
  readonly adapter: Layer.Layer<AdapterWorld, unknown>
  /** A world of the adapter's reader, and what it has. */
  readonly reader: { readonly world: Layer.Layer<ChainWorld, unknown>; readonly has: ChainReaderSuiteOptions["has"] }
  /** A world of the adapter's sender and codec, and what it has; absent where the codec of a fake network signs nothing. */
  readonly sender?: { readonly world: Layer.Layer<SenderWorld, unknown>; readonly has: ChainSenderSuiteOptions["has"] }
}

/**
 * What every NetworkAdapter must do, all parts of it: its traits, addresses, keys and codec agree with each other; its reader and its
 * sender do what theirs must, with what `chainReaderSuite` and `chainSenderSuite` ask; and nothing is concluded from a node of another
 * chain.
 */
export const testNetworkAdapter = (entry: NetworkAdapterEntry): void => {
  const { adapter, name, reader, sender, traits } = entry
  const timeoutMs = timeoutOf(entry)
  layerTests(adapter, { excludeTestServices: true, timeout: timeoutMs })(`${name}: NetworkAdapter`, (it) => {
    traitTests(it, timeoutMs, traits)
    addressTests(it, timeoutMs)
    keyTests(it, timeoutMs, traits)
    codecTests(it, timeoutMs)
    otherChainTests(it, timeoutMs, traits)
  })
  chainReaderSuite(name, reader.world, { has: reader.has, timeoutMs })
  if (sender === undefined) return
  chainSenderSuite(name, sender.world, { has: sender.has, hashPrefix: traits.hashPrefix, timeoutMs })
}
