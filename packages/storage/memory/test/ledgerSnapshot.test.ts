import { layer } from "@bursar/memory"
import { ledgerSnapshotSuite } from "@bursar/testkit/suites/ledgerSnapshotSuite"

ledgerSnapshotSuite("memory", layer)
