import * as Writer from "@bursar/core/engine/Writer"
import { layer as layerTests } from "@effect/vitest"
import { Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"
import { backfillTests } from "./watch/backfillTests.ts"
import { cursorTests } from "./watch/cursorTests.ts"
import { foundTests } from "./watch/foundTests.ts"
import { oneNodeTests } from "./watch/oneNodeTests.ts"
import { walletTests } from "./watch/walletTests.ts"
import type { WatchStateSuitePorts } from "./watch/ports.ts"

/**
 * What every WatchState must do. Cursors and blocks belong to a network and not to a tenant, so this suite moves the
 * cursor of `bitcoin`, `stellar` and `tron`: give it a store in which nothing else watches these.
 */
export const watchStateSuite = (
  name: string,
  layer: Layer.Layer<WatchStateSuitePorts, unknown>,
  options: SuiteOptions = {}
): void => {
  const services = Layer.provideMerge(Layer.fresh(Writer.layer), layer)
  layerTests(services, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: WatchState`, (it) => {
    const timeoutMs = timeoutOf(options)
    cursorTests(it, timeoutMs)
    foundTests(it, timeoutMs)
    backfillTests(it, timeoutMs)
    walletTests(it, timeoutMs)
    oneNodeTests(it, timeoutMs)
  })
}
