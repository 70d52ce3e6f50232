import { fiatProviderSuite } from "@bursar/testkit/suites/fiatProviderSuite"
import { fiatWorld } from "./support/world.ts"

fiatProviderSuite("bridge", fiatWorld, {
  sendWithinMs: 900_000,
  absentAfterMs: 3_600_000,
  has: ["faults", "payees"]
})
