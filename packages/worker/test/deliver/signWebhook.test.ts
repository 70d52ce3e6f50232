import { assert, it } from "@effect/vitest"
import { Redacted } from "effect"
import { signWebhook } from "../../src/deliver/signWebhook.ts"

it("signs with the secret as it was shown, over the timestamp and the raw body", () => {
  // printf '1700000000.{"id":1}' | openssl dgst -sha256 -hmac whsec_c2VjcmV0
  const expected = "v1=b3ce91ed198e18007f01b0cd0673e768a0c1344e6218f741eb74802313d9c242"
  assert.strictEqual(signWebhook(Redacted.make("whsec_c2VjcmV0"), 1_700_000_000, '{"id":1}'), expected)
})
