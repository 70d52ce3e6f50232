import { emptyState, layerOver } from "@bursar/memory"
import { rateLimitsSuite } from "@bursar/testkit/suites/rateLimitsSuite"

const state = emptyState()

rateLimitsSuite("memory", layerOver(state), { second: layerOver(state) })
