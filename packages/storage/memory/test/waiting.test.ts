import * as Memory from "@bursar/memory"
import { waitingSuite } from "@bursar/testkit/suites/waitingSuite"

waitingSuite("memory", Memory.layer)
