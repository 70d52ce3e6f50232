import { assert, it } from "@effect/vitest"
import { reasonIn } from "../src/screens/audit/reasonIn.ts"

it("the reason of an action is what was asked with it, and nothing else that has the name", () => {
  assert.strictEqual(reasonIn({ request: { reason: "A drill.", more: 1 } }), "A drill.")
  for (const values of [null, { changes: [{ after: { reason: "x" } }] }, { request: null }, { request: { reason: 1 } }])
    assert.isUndefined(reasonIn(values))
})
