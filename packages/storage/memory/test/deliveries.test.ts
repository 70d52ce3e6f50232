import { layer } from "@bursar/memory"
import { deliveriesSuite } from "@bursar/testkit/suites/deliveriesSuite"

deliveriesSuite("memory", layer)
