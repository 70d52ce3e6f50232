import * as Memory from "@bursar/memory"
import { operatorSessionsSuite } from "@bursar/testkit/suites/operatorSessionsSuite"

operatorSessionsSuite("memory", Memory.layer)
