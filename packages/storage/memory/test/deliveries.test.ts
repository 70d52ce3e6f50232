import { emptyState, layerOver } from "@bursar/memory"
import { deliveriesSuite } from "@bursar/testkit/suites/deliveriesSuite"

const state = emptyState()

deliveriesSuite("memory", layerOver(state), { second: layerOver(state) })
