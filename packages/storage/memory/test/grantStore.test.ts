import * as Memory from "@bursar/memory"
import { grantStoreSuite } from "@bursar/testkit/suites/grantStoreSuite"

grantStoreSuite("memory", Memory.layer)
