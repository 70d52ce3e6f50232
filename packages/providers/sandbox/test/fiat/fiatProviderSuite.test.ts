import { fiatProviderSuite } from "@bursar/testkit/suites/fiatProviderSuite"
import { fiatWorld } from "../support/worlds.ts"

fiatProviderSuite("sandbox", fiatWorld, { sendWithinMs: 15_000, absentAfterMs: 60_000, has: [] })
