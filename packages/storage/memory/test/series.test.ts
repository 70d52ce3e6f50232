import * as Memory from "@bursar/memory"
import { seriesSuite } from "@bursar/testkit/suites/seriesSuite"

seriesSuite("memory", Memory.layer)
