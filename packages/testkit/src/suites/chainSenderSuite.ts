import type { NetworkTraits } from "@bursar/core/money/Network"
import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"
import { buildTests } from "./sender/buildTests.ts"
import { statusTests } from "./sender/statusTests.ts"
import { formatTests } from "./sender/formatTests.ts"
import { invalidatedTests } from "./sender/invalidatedTests.ts"
import { lossTests } from "./sender/lossTests.ts"
import { paymentTests } from "./sender/paymentTests.ts"
import { proofTests } from "./sender/proofTests.ts"
import type { SenderFeature, SenderWorld } from "./sender/SenderWorld.ts"

/** Settings of the suite of a chain sender. */
export interface ChainSenderSuiteOptions extends SuiteOptions {
  /** What the network has, and the world can show. */
  readonly has: ReadonlyArray<SenderFeature>
  /** How hashes begin on the network; not looked at where absent. */
  readonly hashPrefix?: NetworkTraits["hashPrefix"]
}

/**
 * What every ChainSender and its TransactionFormat must do: what is signed is what was ordered, the same bytes pay once
 * however often they are sent, a transaction has failed only where it is proven that it can never take effect, and a node
 * that is silent, empty, behind or talks nonsense proves nothing.
 *
 * The tests of a suite run one after the other on one world, each with accounts of its own.
 */
export const chainSenderSuite = (
  name: string,
  layer: Layer.Layer<SenderWorld, unknown>,
  options: ChainSenderSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: ChainSender`, (it) => {
    const timeoutMs = timeoutOf(options)
    buildTests(it, timeoutMs, options.has)
    formatTests(it, timeoutMs, { has: options.has, hashPrefix: options.hashPrefix })
    statusTests(it, timeoutMs, options.has)
    paymentTests(it, timeoutMs, options.has)
    invalidatedTests(it, timeoutMs, options.has)
    proofTests(it, timeoutMs, options.has)
    if (options.has.includes("faults")) lossTests(it, timeoutMs, options.has)
  })
}
