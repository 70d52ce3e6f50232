import { fiatProviderSuite } from "@bursar/testkit/suites/fiatProviderSuite"
import { fiatTerms, fiatWorld } from "./support/world.ts"

fiatProviderSuite("bridge", fiatWorld, fiatTerms)
