import * as Memory from "@bursar/memory"
import { solvencyStoreSuite } from "@bursar/testkit/suites/solvencyStoreSuite"

solvencyStoreSuite("memory", Memory.layer)
