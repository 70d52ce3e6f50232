import { emptyState, layerOver } from "@bursar/memory"
import { keyStoreSuite } from "@bursar/testkit/suites/keyStoreSuite"

const state = emptyState()

keyStoreSuite("memory", layerOver(state), { second: layerOver(state) })
