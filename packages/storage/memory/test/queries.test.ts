import { layer } from "@bursar/memory"
import { queriesSuite } from "@bursar/testkit/suites/queriesSuite"

queriesSuite("memory", layer)
