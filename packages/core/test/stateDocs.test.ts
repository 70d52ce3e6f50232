import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { stateDocs } from "../scripts/stateDocs.ts"

it("the page of states in the manual shows the tables as they are (else: node packages/core/scripts/generate-state-docs.ts)", () => {
  const page = readFileSync(new URL("../../../docs/reference/states.md", import.meta.url), "utf8")
  assert.strictEqual(page, stateDocs())
})
