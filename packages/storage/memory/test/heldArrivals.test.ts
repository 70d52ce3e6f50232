import * as Memory from "@bursar/memory"
import { heldArrivalsSuite } from "@bursar/testkit/suites/heldArrivalsSuite"

heldArrivalsSuite("memory", Memory.layer)
