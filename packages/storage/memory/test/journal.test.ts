import { layer } from "@bursar/memory"
import { journalSuite } from "@bursar/testkit/suites/journalSuite"

journalSuite("memory", layer)
