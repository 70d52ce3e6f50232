import { layer } from "@bursar/memory"
import { booksSuite } from "@bursar/testkit/suites/booksSuite"

booksSuite("memory", layer)
