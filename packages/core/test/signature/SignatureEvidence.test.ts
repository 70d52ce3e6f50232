import { decodeDetails } from "@bursar/core/operation/OperationDetails"
import { evidenceOf, withEvidence } from "@bursar/core/signature/SignatureEvidence"
import { assert, it } from "@effect/vitest"

const evidence = { keyid: "k", signatureBase: '"@method": POST\n…', signature: "AAAA", body: "e30=" }

const destination = { address: "0x1", memo: null, memo_type: null }

it("evidence stands in the details of an operation beside what was there", () => {
  const details = withEvidence({ destination }, evidence)
  assert.strictEqual(details.destination, destination)
  assert.deepStrictEqual(evidenceOf({ details: JSON.parse(JSON.stringify(details)) }), evidence)
})

it("there is none where any part of it is missing", () => {
  assert.isUndefined(evidenceOf({ details: {} }))
  assert.isUndefined(evidenceOf({ details: { signature: {} } }))
  const { signature } = withEvidence({}, evidence)
  for (const part of ["body", "keyid", "signature", "signature_base"] as const) {
    const { [part]: _, ...others } = signature ?? {}
    assert.isUndefined(evidenceOf({ details: { signature: others } }), part)
  }
})

it("evidence that is not of its type is refused where it is read", () => {
  const { signature } = withEvidence({}, evidence)
  for (const wrong of [null, "text", [evidence], { ...signature, body: 1 }, { ...signature, keyid: null }]) {
    assert.throws(
      () => decodeDetails("one", "CHAIN_PAYOUT", { signature: wrong }),
      /signature of the CHAIN_PAYOUT one/u
    )
  }
})
