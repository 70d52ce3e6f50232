import * as Writer from "@bursar/core/engine/Writer"
import type { Queries } from "@bursar/core/port/Queries"
import type { Storage } from "@bursar/core/port/Storage"
import type { Tenants } from "@bursar/core/port/Tenants"
import { layer as layerTests } from "@effect/vitest"
import { Layer } from "effect"
import { type SuiteIt, type SuiteOptions, timeoutOf } from "./harness.ts"
import { feedTests } from "./queries/feedTests.ts"
import { floatTests } from "./queries/floatTests.ts"
import { registerTests } from "./queries/registerTests.ts"

/** The ports that the suite of the queries uses. */
export type QueriesSuitePorts = Queries | Storage | Tenants

/** The tests of the suite of the queries. */
export type QueriesIt = SuiteIt<QueriesSuitePorts | Writer.Writer>

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
    floatTests(it, timeoutMs)
    registerTests(it, timeoutMs)
  })
}
