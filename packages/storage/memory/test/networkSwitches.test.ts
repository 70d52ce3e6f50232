import * as Memory from "@bursar/memory"
import { networkSwitchesSuite } from "@bursar/testkit/suites/networkSwitchesSuite"

networkSwitchesSuite("memory", Memory.layer)
