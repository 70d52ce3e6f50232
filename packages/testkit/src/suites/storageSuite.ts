import type { Storage } from "@bursar/core/engine/Storage"
import { layer as layerTests } from "@effect/vitest"
import type { Layer } from "effect"
import { type Second, type SuiteOptions, timeoutOf, withWriters } from "./harness.ts"
import { addressTests } from "./storage/addressTests.ts"
import { ownershipTests } from "./storage/ownershipTests.ts"
import { proofTests } from "./storage/proofTests.ts"
import { jobTests } from "./storage/jobTests.ts"
import { fiatTests } from "./storage/fiatTests.ts"
import { batchTests } from "./storage/batchTests.ts"
import { concurrencyTests } from "./storage/concurrencyTests.ts"
import { idempotencyTests } from "./storage/idempotencyTests.ts"
import { keyTests } from "./storage/keyTests.ts"
import { ledgerRoundTripTests } from "./storage/ledgerRoundTripTests.ts"
import { operatorTests } from "./storage/operatorTests.ts"
import { reconciliationTests } from "./storage/reconciliationTests.ts"
import { transactionTests } from "./storage/transactionTests.ts"
import { readTests } from "./storage/readTests.ts"
import { recordRoundTripTests } from "./storage/recordRoundTripTests.ts"
import { beingSignedTests } from "./storage/beingSignedTests.ts"
import { signatureTests } from "./storage/signatureTests.ts"
import { tailingTests } from "./storage/tailingTests.ts"
import type { StorageSuitePorts } from "./storage/ports.ts"

/** Settings of the storage suite. */
export interface StorageSuiteOptions extends SuiteOptions {
  /** The same store as another process would open it. */
  readonly second: Second<Storage>
}

/** What every Storage must do. Each test makes tenants of its own, so the store may be shared and need not be empty. */
export const storageSuite = (
  name: string,
  layer: Layer.Layer<StorageSuitePorts, unknown>,
  options: StorageSuiteOptions
): void => {
  layerTests(withWriters(layer, options.second), { excludeTestServices: true, timeout: timeoutOf(options) })(
    `${name}: Storage`,
    (it) => {
      const timeoutMs = timeoutOf(options)
      batchTests(it, timeoutMs)
      readTests(it, timeoutMs)
      ledgerRoundTripTests(it, timeoutMs)
      recordRoundTripTests(it, timeoutMs)
      concurrencyTests(it, timeoutMs)
      idempotencyTests(it, timeoutMs)
      signatureTests(it, timeoutMs)
      beingSignedTests(it, timeoutMs)
      tailingTests(it, timeoutMs)
      addressTests(it, timeoutMs)
      ownershipTests(it, timeoutMs)
      proofTests(it, timeoutMs)
      keyTests(it, timeoutMs)
      jobTests(it, timeoutMs)
      fiatTests(it, timeoutMs)
      transactionTests(it, timeoutMs)
      operatorTests(it, timeoutMs)
      reconciliationTests(it, timeoutMs)
    }
  )
}
