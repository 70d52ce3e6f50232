import { writeFileSync } from "node:fs"
import { openApiDocument, operatorOpenApiDocument } from "../src/openapi/openApiDocument.ts"

const write = (name: string, document: object): void =>
  writeFileSync(new URL(`../${name}`, import.meta.url), JSON.stringify(document, null, 2) + "\n")

write("openapi.json", openApiDocument())
write("operator-openapi.json", operatorOpenApiDocument())
