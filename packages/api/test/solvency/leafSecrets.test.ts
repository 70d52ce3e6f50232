import { createHmac } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { leafSecrets } from "../../src/solvency/leafSecrets.ts"

const hmac = (key: Uint8Array, bytes: Uint8Array): Uint8Array => createHmac("sha256", key).update(bytes).digest()

it("salts differ by secret, snapshot, currency and tenant, and so do the keys of the order by snapshot", () => {
  const leaf = { snapshotId: "one", currency: "EUR", tenantId: "tenant" }
  const { orderKey, saltOf } = leafSecrets(Buffer.alloc(32, 1), hmac)
  const all = [
    saltOf(leaf),
    saltOf({ ...leaf, snapshotId: "two" }),
    saltOf({ ...leaf, currency: "USD" }),
    saltOf({ ...leaf, tenantId: "another" }),
    // what ends one name does not begin the next
    saltOf({ ...leaf, currency: "EURt", tenantId: "enant" }),
    leafSecrets(Buffer.alloc(32, 2), hmac).saltOf(leaf),
    orderKey("one"),
    orderKey("two")
  ].map((bytes) => Buffer.from(bytes).toString("hex"))
  assert.strictEqual(new Set(all).size, all.length)
})
