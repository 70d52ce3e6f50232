import { emptyState, layerOver } from "@bursar/memory"
import { tenantsSuite } from "@bursar/testkit/suites/tenantsSuite"

const state = emptyState()

tenantsSuite("memory", layerOver(state), { second: layerOver(state) })
