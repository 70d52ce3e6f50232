import { assert, it } from "@effect/vitest"
import { nodeRefusal } from "../src/nodeVersion.ts"

it("a Node that is older than promised is refused in one line that names both versions", () => {
  assert.strictEqual(nodeRefusal("20.19.6"), "Bursar needs Node 22 or newer; this is Node 20.19.6.")
  assert.strictEqual(nodeRefusal("9.0.0"), "Bursar needs Node 22 or newer; this is Node 9.0.0.")
})

it("the oldest promised Node and every newer one is taken", () => {
  assert.isUndefined(nodeRefusal("22.0.0"))
  assert.isUndefined(nodeRefusal("100.1.0"))
})
