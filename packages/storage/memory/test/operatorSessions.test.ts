import { emptyState, layerOver } from "@bursar/memory"
import { operatorSessionsSuite } from "@bursar/testkit/suites/operatorSessionsSuite"

const state = emptyState()

operatorSessionsSuite("memory", layerOver(state), { second: layerOver(state) })
