import { layer } from "@bursar/memory"
import { tenantsSuite } from "@bursar/testkit/suites/tenantsSuite"

tenantsSuite("memory", layer)
