import * as Memory from "@bursar/memory"
import { providerCallsSuite } from "@bursar/testkit/suites/providerCallsSuite"

providerCallsSuite("memory", Memory.layer)
