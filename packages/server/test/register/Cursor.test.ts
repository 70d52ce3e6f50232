import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { readCursor, writeCursor } from "../../src/handlers/register/Cursor.ts"

const binding = { secret: Redacted.make("secret"), tenantId: "tenant", filters: { kind: "DEPOSIT", since: undefined } }
const position = { createdAt: 1_700_000_000_123, id: "019845e1-682f-7b02-a706-000000000001" }
const cursor = writeCursor(binding, position)

describe("Cursor", () => {
  it("reads what it wrote", () => {
    assert.deepStrictEqual(readCursor(binding, cursor), position)
  })

  it("is of no use under other filters, to another tenant, or under another secret", () => {
    assert.isUndefined(readCursor({ ...binding, filters: { kind: "REVERSAL" } }, cursor))
    assert.isUndefined(readCursor({ ...binding, filters: {} }, cursor))
    assert.isUndefined(readCursor({ ...binding, tenantId: "other" }, cursor))
    assert.isUndefined(readCursor({ ...binding, secret: Redacted.make("other") }, cursor))
  })

  it("is refused when any character of it was changed", () => {
    for (let index = 0; index < cursor.length; index++) {
      const other = cursor[index] === "A" ? "B" : "A"
      const altered = cursor.slice(0, index) + other + cursor.slice(index + 1)
      const read = readCursor(binding, altered)
      // The last character of base64 holds bits that count for nothing.
      if (read !== undefined) assert.deepStrictEqual(read, position)
    }
    for (const garbage of ["", "v1", "v1..", "v2" + cursor.slice(2), `${cursor}.x`, "x".repeat(2000)]) {
      assert.isUndefined(readCursor(binding, garbage), garbage)
    }
  })
})
