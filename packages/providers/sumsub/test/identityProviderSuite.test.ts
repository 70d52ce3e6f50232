import { identityProviderSuite } from "@bursar/testkit/suites/identityProviderSuite"
import { identityWorld } from "./support/world.ts"

identityProviderSuite("sumsub", identityWorld, { has: ["faults", "ends"] })
