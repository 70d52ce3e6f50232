import { assert, it } from "@effect/vitest"
import { groupsOf } from "../src/ui/groupsOf.ts"

it("an amount is grouped for the eye alone: what one copies is the amount itself", () => {
  for (const [amount, groups] of [
    ["1234567.5", ["1", "234", "567.5"]],
    ["-1234.000001", ["-1", "234.000001"]],
    ["123", ["123"]],
    ["0.123456789", ["0.123456789"]],
    ["", [""]]
  ] as const) {
    assert.deepStrictEqual<unknown>(groupsOf(amount), groups)
    assert.strictEqual(groupsOf(amount).join(""), amount)
  }
})
