import { emptyState, layerOver } from "@bursar/memory"
import { knownCurrenciesSuite } from "@bursar/testkit/suites/knownCurrenciesSuite"

const state = emptyState()

knownCurrenciesSuite("memory", layerOver(state), { second: layerOver(state) })
