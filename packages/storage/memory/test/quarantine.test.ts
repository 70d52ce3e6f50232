import * as Memory from "@bursar/memory"
import { quarantineSuite } from "@bursar/testkit/suites/quarantineSuite"

quarantineSuite("memory", Memory.layer)
