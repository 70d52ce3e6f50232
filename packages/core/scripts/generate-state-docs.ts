import { writeFileSync } from "node:fs"
import { stateDocs } from "./stateDocs.ts"

writeFileSync(new URL("../../../docs/reference/states.md", import.meta.url), stateDocs())
