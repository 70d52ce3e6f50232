import * as Memory from "@bursar/memory"
import { positionsSuite } from "@bursar/testkit/suites/positionsSuite"

positionsSuite("memory", Memory.layer)
