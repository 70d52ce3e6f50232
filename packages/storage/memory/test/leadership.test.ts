import { emptyState, layerOver } from "@bursar/memory"
import { leadershipSuite } from "@bursar/testkit/suites/leadershipSuite"

const state = emptyState()

leadershipSuite("memory", layerOver(state), { second: layerOver(state), lapsesAfterMs: null })
