import { assert, it } from "@effect/vitest"
import { tenantIn } from "../src/ui/tenantIn.ts"

it("an address that names a tenant that is not there is about nobody, and not about the first", () => {
  const [acme, other] = [
    { id: "1", slug: "acme" },
    { id: "2", slug: "other" }
  ]
  assert.strictEqual(tenantIn([acme, other], "other"), other)
  assert.strictEqual(tenantIn([acme, other], "2"), other)
  assert.strictEqual(tenantIn([acme, other], null), acme)
  assert.isUndefined(tenantIn([acme, other], "nobody"))
  assert.isUndefined(tenantIn([], null))
})
