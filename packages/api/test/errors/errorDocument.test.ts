import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { errorCodes } from "../../src/errors/Catalogue.ts"
import { errorDocument } from "../../src/errors/errorDocument.ts"

it("the page in the manual is the generated one, with a section for each code", () => {
  const page = errorDocument()
  assert.strictEqual(readFileSync(new URL("../../../../docs/reference/errors.md", import.meta.url), "utf8"), page)
  for (const code of errorCodes) assert.include(page, `## \`${code}\``)
})
