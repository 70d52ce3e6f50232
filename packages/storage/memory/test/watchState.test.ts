import { layer } from "@bursar/memory"
import { watchStateSuite } from "@bursar/testkit/suites/watchStateSuite"

watchStateSuite("memory", layer)
