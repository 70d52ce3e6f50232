import * as Memory from "@bursar/memory"
import { auditSealsSuite } from "@bursar/testkit/suites/auditSealsSuite"

auditSealsSuite("memory", Memory.layer)
