import { layer } from "@bursar/memory"
import { rateLimitsSuite } from "@bursar/testkit/suites/rateLimitsSuite"

rateLimitsSuite("memory", layer)
