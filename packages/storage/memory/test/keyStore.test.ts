import * as Memory from "@bursar/memory"
import { keyStoreSuite } from "@bursar/testkit/suites/keyStoreSuite"

keyStoreSuite("memory", Memory.layer)
