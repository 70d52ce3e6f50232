import { fiatProviderSuite } from "@bursar/testkit/suites/fiatProviderSuite"
import { fiatTerms, fiatWorld } from "../support/worlds.ts"

fiatProviderSuite("sandbox", fiatWorld, fiatTerms)
