import { evidenceOf, withEvidence } from "@bursar/core/signature/SignatureEvidence"
import { assert, it } from "@effect/vitest"

const evidence = { keyid: "k", signatureBase: '"@method": POST\n…', signature: "AAAA", body: "e30=" }

it("evidence stands in the details of an operation beside what was there", () => {
  const details = withEvidence({ destination: "0x1" }, evidence)
  assert.strictEqual(details["destination"], "0x1")
  assert.deepStrictEqual(evidenceOf({ details: JSON.parse(JSON.stringify(details)) }), evidence)
})

it("there is none where any part of it is missing or of another type", () => {
  assert.isUndefined(evidenceOf({ details: {} }))
  for (const signature of [null, "text", [evidence], {}, { ...evidence }]) {
    assert.isUndefined(evidenceOf({ details: { signature } }), JSON.stringify(signature))
  }
  const { signature } = withEvidence({}, evidence)
  assert.isUndefined(evidenceOf({ details: { signature: { ...(signature as object), body: 1 } } }))
})
