import * as Memory from "@bursar/memory"
import { operatorAuditSuite } from "@bursar/testkit/suites/operatorAuditSuite"

operatorAuditSuite("memory", Memory.layer)
