import { assert, describe, it } from "@effect/vitest"
import { retryAfterMs } from "../../src/deliver/retryAfterMs.ts"

const now = Date.UTC(2026, 0, 1)

describe("retryAfterMs", () => {
  it("reads seconds", () => {
    assert.strictEqual(retryAfterMs("0", now), 0)
    assert.strictEqual(retryAfterMs(" 120 ", now), 120_000)
  })

  it("reads the dates of HTTP, a past one as no wait", () => {
    assert.strictEqual(retryAfterMs("Thu, 01 Jan 2026 00:00:30 GMT", now), 30_000)
    assert.strictEqual(retryAfterMs("Wed, 31 Dec 2025 23:59:00 GMT", now), 0)
  })

  it("takes nothing else for a wait", () => {
    for (const text of [undefined, "", "soon", "-5", "1.5", "1e9", "2026-01-01", "99999999999"])
      assert.isNull(retryAfterMs(text, now), text)
  })
})
