import type { Deliveries } from "@bursar/core/port/Deliveries"
import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import { attemptTests } from "./deliveries/attemptTests.ts"
import { leaseTests } from "./deliveries/leaseTests.ts"
import type { DeliveriesSuitePorts } from "./deliveries/ports.ts"
import { type Second, type SuiteOptions, timeoutOf } from "./harness.ts"

/** Settings of the suite of Deliveries. */
export interface DeliveriesSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<Deliveries>
}

/**
 * What every Deliveries must do. Time is that of the caller. It leases everything there is, so nothing else may deliver
 * from the same store.
 */
export const deliveriesSuite = (
  name: string,
  layer: Layer.Layer<DeliveriesSuitePorts, unknown>,
  options: DeliveriesSuiteOptions
): void => {
  const timeoutMs = timeoutOf(options)
  layerTests(layer, { excludeTestServices: true, timeout: timeoutMs })(`${name}: Deliveries`, (it) => {
    leaseTests(it, timeoutMs, options.second)
    attemptTests(it, timeoutMs)
  })
}
