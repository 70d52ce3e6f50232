import { emptyState, layerOver } from "@bursar/memory"
import { storageSuite } from "@bursar/testkit/suites/storageSuite"

const state = emptyState()

storageSuite("memory", layerOver(state), { second: layerOver(state) })
