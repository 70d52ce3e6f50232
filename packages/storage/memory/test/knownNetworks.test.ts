import * as Memory from "@bursar/memory"
import { knownNetworksSuite } from "@bursar/testkit/suites/knownNetworksSuite"

knownNetworksSuite("memory", Memory.layer)
