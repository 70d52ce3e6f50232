import * as Memory from "@bursar/memory"
import { headsSuite } from "@bursar/testkit/suites/headsSuite"

headsSuite("memory", Memory.layer)
