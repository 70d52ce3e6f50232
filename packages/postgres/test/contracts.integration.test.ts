import { queriesSuite } from "@bursar/testkit/suites/queriesSuite"
import { storageSuite } from "@bursar/testkit/suites/storageSuite"
import { migratedDatabase } from "./database.ts"

const { ports } = await migratedDatabase()

storageSuite("postgres", ports(), { second: ports() })
queriesSuite("postgres", ports())
