import { identityProviderSuite } from "@bursar/testkit/suites/identityProviderSuite"
import { identityWorld } from "../support/worlds.ts"

identityProviderSuite("sandbox", identityWorld, { has: ["ends"] })
