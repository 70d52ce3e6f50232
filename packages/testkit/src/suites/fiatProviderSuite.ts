import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import { accountTests } from "./fiat/accountTests.ts"
import type { FiatTerms, FiatWorld } from "./fiat/FiatWorld.ts"
import { orderTests } from "./fiat/orderTests.ts"
import { payInTests } from "./fiat/payInTests.ts"
import { transferTests } from "./fiat/transferTests.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** Settings of the suite of a fiat provider. */
export interface FiatProviderSuiteOptions extends SuiteOptions, FiatTerms {}

/**
 * What every FiatProvider must do: a reference stands for one customer, one account, one transfer, which pays what was ordered
 * to whom it was ordered for; what arrives is told once; and of a transfer only what the provider says is concluded, never
 * anything from its silence.
 */
export const fiatProviderSuite = (
  name: string,
  layer: Layer.Layer<FiatWorld, unknown>,
  options: FiatProviderSuiteOptions
): void => {
  const timeoutMs = timeoutOf(options)
  layerTests(layer, { excludeTestServices: true, timeout: timeoutMs })(`${name}: FiatProvider`, (it) => {
    accountTests(it, timeoutMs, options)
    transferTests(it, timeoutMs, options)
    orderTests(it, timeoutMs, options)
    payInTests(it, timeoutMs)
  })
}
