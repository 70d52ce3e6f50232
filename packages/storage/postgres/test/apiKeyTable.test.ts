import { assert, describe, it } from "@effect/vitest"
import { apiKeyTable } from "../src/table/apiKeyTable.ts"

const row = {
  tenant_id: "019845e1-682f-4b02-a706-3b2422d13aec",
  key_id: "AAAAAAAA",
  label: "x",
  prefix: "bsr_live_AAAAAAAA",
  hash: "0".repeat(64),
  scopes: ["float:read"],
  expires_at: new Date(2_000_000_000_000),
  seal: "0".repeat(64),
  created_at: new Date(1_700_000_000_000),
  revoked_at: null
}

describe("the row of an API key", () => {
  it("that somebody has made unreadable is read as one that no seal is of, and keeps no other from being read", () => {
    const honest = apiKeyTable.read(row)
    assert.deepInclude(honest, { scopes: ["float:read"], expiresAt: 2_000_000_000_000, revokedAt: null })
    for (const scopes of [{}, null, 7, "float:read", ["float:read", 7]])
      assert.deepStrictEqual(apiKeyTable.read({ ...row, scopes }).scopes, [])
    for (const moment of [Number.POSITIVE_INFINITY, "infinity", new Date(Number.NaN)]) {
      const read = apiKeyTable.read({ ...row, expires_at: moment, created_at: moment, revoked_at: moment })
      assert.strictEqual(read.expiresAt, 8_640_000_000_000_000)
      // a revocation that cannot be read is one
      assert.isNotNull(read.revokedAt)
      assert.isString(new Date(read.expiresAt ?? 0).toISOString())
    }
  })
})
