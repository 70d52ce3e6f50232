import { emptyState, layerOver } from "@bursar/memory"
import { auditSealsSuite } from "@bursar/testkit/suites/auditSealsSuite"

const state = emptyState()

auditSealsSuite("memory", layerOver(state), { second: layerOver(state) })
