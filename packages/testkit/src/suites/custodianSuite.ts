import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import { conversionTests } from "./custodian/conversionTests.ts"
import { type CustodianWorld, orderKinds, type OrderKind } from "./custodian/CustodianWorld.ts"
import { readingTests, silenceTests } from "./custodian/readingTests.ts"
import { unknownTests } from "./custodian/unknownTests.ts"
import { withdrawalTests } from "./custodian/withdrawalTests.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** Settings of the suite of a custodian. */
export interface CustodianSuiteOptions extends SuiteOptions {
  /** Of which orders the custodian knows our references; the others it finds by what they look like. */
  readonly references: ReadonlyArray<OrderKind>
  /** How many conversions the world has. */
  readonly conversions: number
  /** What the world can show: orders answered with `errors`, orders that are `lost`, a custodian that is silent. */
  readonly has: ReadonlyArray<"errors" | "lost" | "silence">
}

/**
 * What every Custodian must do: an order that was taken is found again whatever became of its answer, nothing is sent twice,
 * no amount loses a digit, and what is not certain is Unknown.
 *
 * The tests of a suite run one after the other on one world.
 */
export const custodianSuite = (
  name: string,
  layer: Layer.Layer<CustodianWorld, unknown>,
  options: CustodianSuiteOptions
): void => {
  layerTests(layer, { excludeTestServices: true, timeout: timeoutOf(options) })(`${name}: Custodian`, (it) => {
    const timeoutMs = timeoutOf(options)
    const { conversions, has, references } = options
    readingTests(it, timeoutMs)
    withdrawalTests(it, timeoutMs)
    conversionTests(it, conversions, timeoutMs)
    for (const kind of orderKinds) {
      unknownTests(it, kind, { errors: has.includes("errors"), lost: has.includes("lost"), references }, timeoutMs)
    }
    if (has.includes("silence")) silenceTests(it, timeoutMs)
  })
}
