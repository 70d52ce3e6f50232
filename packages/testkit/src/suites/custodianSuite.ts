import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import { conversionTests, partialTests } from "./custodian/conversionTests.ts"
import { type CustodianTerms, type CustodianWorld, orderKinds } from "./custodian/CustodianWorld.ts"
import { readingTests, silenceTests } from "./custodian/readingTests.ts"
import { unknownTests } from "./custodian/unknownTests.ts"
import { withdrawalTests } from "./custodian/withdrawalTests.ts"
import { type SuiteOptions, timeoutOf } from "./harness.ts"

/** Settings of the suite of a custodian. */
export interface CustodianSuiteOptions extends SuiteOptions, CustodianTerms {
  /** How many conversions the world has. */
  readonly conversions: number
}

/**
 * What every Custodian must do: an order that was taken is found again whatever became of its answer, nothing is sent twice,
 * no amount loses a digit, what is ordered for one receiver goes to that one, and what is not certain is Unknown.
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
    const { conversions, has } = options
    readingTests(it, timeoutMs)
    withdrawalTests(it, timeoutMs, has.includes("memos"))
    conversionTests(it, conversions, timeoutMs)
    if (has.includes("partial")) partialTests(it, timeoutMs)
    for (const kind of orderKinds) unknownTests(it, kind, options, timeoutMs)
    if (has.includes("silence")) silenceTests(it, options, timeoutMs)
  })
}
