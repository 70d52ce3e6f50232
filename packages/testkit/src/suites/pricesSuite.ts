import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"
import type { PricesFeature, PricesWorld } from "./prices/PricesWorld.ts"
import { pricesTests } from "./prices/pricesTests.ts"

/** Settings of the suite of prices. */
export interface PricesSuiteOptions extends SuiteOptions {
  /** What the world can show. */
  readonly has: ReadonlyArray<PricesFeature>
}

/**
 * What every Prices must do: exact decimals with who said them and when, rates that are the quotient of prices, and null for whatever is not
 * known.
 */
export const pricesSuite = (
  name: string,
  layer: Layer.Layer<PricesWorld, unknown>,
  options: PricesSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Prices`, (it) =>
    pricesTests(it, options.has, timeoutOf(options))
  )
}
