import { emptyState, layerOver } from "@bursar/memory"
import { knownNetworksSuite } from "@bursar/testkit/suites/knownNetworksSuite"

const state = emptyState()

knownNetworksSuite("memory", layerOver(state), { second: layerOver(state) })
