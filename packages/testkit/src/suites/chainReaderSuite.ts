import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import type { ChainFeature, ChainWorld } from "./chain/ChainWorld.ts"
import { blockTests } from "./chain/blockTests.ts"
import { faultTests } from "./chain/faultTests.ts"
import { holdingsTests } from "./chain/holdingsTests.ts"
import { headerTests } from "./chain/headerTests.ts"
import { reorgTests } from "./chain/reorgTests.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** Settings of the suite of a chain reader. */
export interface ChainReaderSuiteOptions extends SuiteOptions {
  /** What the network has, and the world can show. */
  readonly has: ReadonlyArray<ChainFeature>
}

/**
 * What every ChainReader must do: a block is read whole or not at all, and counts no sooner than it is final; a transfer keeps its identity when its transaction is
 * mined again, and a node that is silent, empty, behind or talks nonsense leads to a ChainError and to nothing else.
 *
 * The tests of a suite run one after the other on one world; they mine and, with `reorg`, replace blocks.
 */
export const chainReaderSuite = (
  name: string,
  layer: Layer.Layer<ChainWorld, unknown>,
  options: ChainReaderSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: ChainReader`, (it) => {
    const timeoutMs = timeoutOf(options)
    headerTests(it, timeoutMs)
    blockTests(it, timeoutMs, options.has)
    holdingsTests(it, timeoutMs, options.has)
    if (options.has.includes("reorg")) reorgTests(it, timeoutMs)
    if (options.has.includes("faults")) faultTests(it, timeoutMs)
  })
}
