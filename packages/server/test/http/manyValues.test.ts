import { assert, describe, it } from "@effect/vitest"
import { holdsMoreValuesThan } from "../../src/http/manyValues.ts"

describe("holdsMoreValuesThan", () => {
  it("counts the values of a text, nested or not", () => {
    assert.isTrue(holdsMoreValuesThan(JSON.stringify(Array.from({ length: 101 }, () => ({}))), 100))
    assert.isTrue(holdsMoreValuesThan("[".repeat(201), 100))
    assert.isFalse(holdsMoreValuesThan(JSON.stringify(Array.from({ length: 100 }, () => 1)) + " ".repeat(500), 100))
  })

  it("does not count what stands in texts", () => {
    for (const inside of [",".repeat(500), "[{".repeat(500), '\\",'.repeat(500), `\\${'"'},`.repeat(500)]) {
      assert.isFalse(holdsMoreValuesThan(JSON.stringify([inside]), 100), inside.slice(0, 4))
    }
  })
})
