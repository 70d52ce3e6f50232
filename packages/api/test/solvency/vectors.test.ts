import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { tenantProofFindings } from "../../src/solvency/verifyTenantProof.ts"
import { makeVectors } from "./support/vectors.ts"

const page = new URL("../../../../docs/reference/solvency-vectors.json", import.meta.url)

it("the vectors of the manual are those that the code makes, and they verify", async () => {
  const vectors = await Effect.runPromise(makeVectors)
  assert.deepStrictEqual(JSON.parse(readFileSync(page, "utf8")), JSON.parse(JSON.stringify(vectors)))
  for (const answer of vectors.answers)
    assert.deepStrictEqual(await Effect.runPromise(tenantProofFindings(answer, { tenantId: answer.tenant_id })), [])
})
