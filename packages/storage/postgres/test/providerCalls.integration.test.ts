import { providerCallsSuite } from "@bursar/testkit/suites/providerCallsSuite"
import { migratedDatabase } from "./database.ts"

const { ports } = await migratedDatabase()

providerCallsSuite("postgres", ports())
