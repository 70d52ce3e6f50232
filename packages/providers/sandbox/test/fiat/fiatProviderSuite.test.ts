import { fiatProviderSuite } from "@bursar/testkit/suites/fiatProviderSuite"
import { fiatWorld } from "../support/worlds.ts"

fiatProviderSuite("sandbox", fiatWorld, { has: [] })
