import { assert, it } from "@effect/vitest"
import { retryAfterMs } from "../../src/call/retryAfter.ts"

const now = Date.parse("2027-01-01T00:00:00Z")

it("Retry-After is read as seconds or a date, and as nothing else", () => {
  assert.strictEqual(retryAfterMs("7", now), 7_000)
  assert.strictEqual(retryAfterMs(" 0 ", now), 0)
  assert.strictEqual(retryAfterMs("Fri, 01 Jan 2027 00:01:00 GMT", now), 60_000)
  assert.strictEqual(retryAfterMs("Thu, 31 Dec 2026 23:00:00 GMT", now), 0)
  for (const other of [null, undefined, "", "soon", "-1", "1.5"]) {
    assert.isUndefined(retryAfterMs(other, now), String(other))
  }
})
