import * as Memory from "@bursar/memory"
import { statementsSuite } from "@bursar/testkit/suites/statementsSuite"

statementsSuite("memory", Memory.layer)
