import { accountOfPublicKey } from "@bursar/stellar/Keys"
import { assert, it } from "@effect/vitest"

it("the account of a public key is the one of SEP-5's vector", () => {
  const publicKey = Buffer.from("7691d85048acc4ed085d9061ce0948bbdf7de6a92b790aaf241d31b7dcaa4238", "hex")
  assert.strictEqual(accountOfPublicKey(publicKey), "GB3JDWCQJCWMJ3IILWIGDTQJJC5567PGVEVXSCVPEQOTDN64VJBDQBYX")
})
