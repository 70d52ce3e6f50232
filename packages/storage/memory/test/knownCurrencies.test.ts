import * as Memory from "@bursar/memory"
import { knownCurrenciesSuite } from "@bursar/testkit/suites/knownCurrenciesSuite"

knownCurrenciesSuite("memory", Memory.layer)
