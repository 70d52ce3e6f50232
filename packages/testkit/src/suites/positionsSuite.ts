import * as Writer from "@bursar/core/engine/Writer"
import { layer as layerTests } from "@effect/vitest"
import { Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"
import { addressTests } from "./positions/addressTests.ts"
import { chainTests } from "./positions/chainTests.ts"
import { movableTests } from "./positions/movableTests.ts"
import { providerTests } from "./positions/providerTests.ts"
import type { PositionsSuitePorts } from "./positions/world.ts"

/** What every Positions must tell of the books of all tenants. Tests use networks and providers of their own: the store may be shared. */
export const positionsSuite = (
  name: string,
  layer: Layer.Layer<PositionsSuitePorts, unknown>,
  options: SuiteOptions = {}
): void => {
  const services = Layer.provideMerge(Layer.fresh(Writer.layer), layer)
  layerTests(services, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Positions`, (it) => {
    const timeoutMs = timeoutOf(options)
    addressTests(it, timeoutMs)
    chainTests(it, timeoutMs)
    movableTests(it, timeoutMs)
    providerTests(it, timeoutMs)
  })
}
