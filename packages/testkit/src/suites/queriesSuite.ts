import * as Writer from "@bursar/core/engine/Writer"
import { layer as layerTests } from "@effect/vitest"
import { Layer } from "effect"
import { type SuiteOptions, timeoutOf } from "./harness.ts"
import { feedTests } from "./queries/feedTests.ts"
import { foreignTests } from "./queries/foreignTests.ts"
import { floatTests } from "./queries/floatTests.ts"
import { operatorListTests } from "./queries/operatorListTests.ts"
import { sweepableTests } from "./queries/sweepableTests.ts"
import { operationTests } from "./queries/operationTests.ts"
import type { QueriesSuitePorts } from "./queries/ports.ts"
import { registerTests } from "./queries/registerTests.ts"
import { searchTests } from "./queries/searchTests.ts"

/** What every Queries must answer: filters, order, pages, and nothing of another tenant. */
export const queriesSuite = (
  name: string,
  layer: Layer.Layer<QueriesSuitePorts, unknown>,
  options: SuiteOptions = {}
): void => {
  const services = Layer.provideMerge(Layer.fresh(Writer.layer), layer)
  layerTests(services, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Queries`, (it) => {
    const timeoutMs = timeoutOf(options)
    feedTests(it, timeoutMs)
    foreignTests(it, timeoutMs)
    floatTests(it, timeoutMs)
    registerTests(it, timeoutMs)
    operationTests(it, timeoutMs)
    searchTests(it, timeoutMs)
    operatorListTests(it, timeoutMs)
    sweepableTests(it, timeoutMs)
  })
}
