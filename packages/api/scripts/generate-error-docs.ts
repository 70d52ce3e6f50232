import { mkdirSync, writeFileSync } from "node:fs"
import { errorDocument } from "../src/errors/errorDocument.ts"

const folder = new URL("../../../docs/reference/", import.meta.url)

mkdirSync(folder, { recursive: true })
writeFileSync(new URL("errors.md", folder), errorDocument())
