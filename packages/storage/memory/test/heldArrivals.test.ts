import { emptyState, layerOver } from "@bursar/memory"
import { heldArrivalsSuite } from "@bursar/testkit/suites/heldArrivalsSuite"

const state = emptyState()

heldArrivalsSuite("memory", layerOver(state), { second: layerOver(state) })
