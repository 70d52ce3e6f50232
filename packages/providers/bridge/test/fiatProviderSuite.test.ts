import { fiatProviderSuite } from "@bursar/testkit/suites/fiatProviderSuite"
import { fiatWorld } from "./support/world.ts"

fiatProviderSuite("bridge", fiatWorld, { has: ["faults"] })
