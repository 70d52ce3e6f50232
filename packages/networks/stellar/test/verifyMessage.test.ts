import { muxed } from "@bursar/stellar/Address"
import { verifyMessage } from "@bursar/stellar/Keys"
import { assert, describe, it } from "@effect/vitest"

// the vectors of SEP-53
const address = "GBXFXNDLV4LSWA4VB7YIL5GBD7BVNR22SGBTDKMO2SBZZHDXSKZYCP7L"
const vectors = [
  ["Hello, World!", "fO5dbYhXUhBMhe6kId/cuVq/AfEnHRHEvsP8vXh03M1uLpi5e46yO2Q8rEBzu3feXQewcQE5GArp88u6ePK6BA=="],
  ["こんにちは、世界！", "CDU265Xs8y3OWbB/56H9jPgUss5G9A0qFuTqH2zs2YDgTm+++dIfmAEceFqB7bhfN3am59lCtDXrCtwH2k1GBA=="]
] as const

describe("a message signed by SEP-53", () => {
  for (const [message, signature] of vectors) {
    it(`is taken for its account and its text alone, and junk for nothing: ${message}`, () => {
      assert.isTrue(verifyMessage(address, message, signature))
      assert.isTrue(verifyMessage(muxed(address, 7n), message, signature))
      assert.isFalse(verifyMessage(address, `${message} `, signature))
      assert.isFalse(verifyMessage("GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX", message, signature))
      const junk = ["", "=", signature.slice(4), `${signature}AAAA`, Buffer.alloc(64).toString("base64")]
      for (const text of junk) assert.isFalse(verifyMessage(address, message, text), text)
    })
  }
})
