import { emptyState, layerOver } from "@bursar/memory"
import { operatorAuditSuite } from "@bursar/testkit/suites/operatorAuditSuite"

const state = emptyState()

operatorAuditSuite("memory", layerOver(state), { second: layerOver(state) })
