import {
  afterAttempt,
  type AttemptOutcome,
  failingAfter,
  failingTooLongMs,
  retryDelaysMs
} from "@bursar/core/event/DeliverySchedule"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

const now = 1_700_000_000_000

const outcome = (status: number | null, retryAfterMs: number | null = null): AttemptOutcome => ({
  status,
  retryAfterMs
})

describe("afterAttempt", () => {
  it("waits as long as the contract says: 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h", () => {
    const minutes = retryDelaysMs.map((delay) => delay / 60_000)
    assert.deepStrictEqual(minutes, [5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440])
  })

  it.each([200, 201, 202, 204, 299])("delivers on %i", (status) => {
    assert.deepStrictEqual(afterAttempt(1, outcome(status), now, now, 0.5), { _tag: "Delivered" })
  })

  it.each([null, 100, 199, 300, 301, 302, 307, 400, 401, 404, 409, 429, 500, 503, 599])(
    "tries again after %s",
    (status) => {
      assert.deepStrictEqual(afterAttempt(1, outcome(status), null, now, 0.5), { _tag: "Retry", at: now + 5_000 })
    }
  )

  it("tries again after each of the first nine attempts and gives up after the tenth", () => {
    for (const [index, delay] of retryDelaysMs.entries()) {
      assert.deepStrictEqual(afterAttempt(index + 1, outcome(500), now, now, 0.5), { _tag: "Retry", at: now + delay })
    }
    assert.deepStrictEqual(afterAttempt(10, outcome(500), now, now, 0.5), { _tag: "GiveUp" })
  })

  it("spreads a delay by a fifth to either side", () => {
    assert.deepStrictEqual(afterAttempt(2, outcome(500), null, now, 0), { _tag: "Retry", at: now + 240_000 })
    assert.deepStrictEqual(afterAttempt(2, outcome(500), null, now, 1), { _tag: "Retry", at: now + 360_000 })
  })

  it.each([
    [1_000, 300_000],
    [400_000, 400_000],
    [600_000, 600_000],
    [600_001, 600_000],
    [86_400_000, 600_000]
  ])("asked to wait %i ms, it waits %i ms", (asked, waited) => {
    assert.deepStrictEqual(afterAttempt(2, outcome(503, asked), null, now, 0.5), { _tag: "Retry", at: now + waited })
  })

  it("switches an endpoint off at once on 410", () => {
    assert.strictEqual(afterAttempt(1, outcome(410), null, now, 0.5)._tag, "Disable")
  })

  it("switches an endpoint off after five days of nothing but failure, and not before", () => {
    assert.strictEqual(afterAttempt(3, outcome(500), now - failingTooLongMs, now, 0.5)._tag, "Disable")
    assert.strictEqual(afterAttempt(3, outcome(500), now - failingTooLongMs + 1, now, 0.5)._tag, "Retry")
    assert.strictEqual(afterAttempt(3, outcome(200), now - failingTooLongMs, now, 0.5)._tag, "Delivered")
  })

  it("switches no endpoint off for what the service could not send, and goes on by the schedule", () => {
    const own = { ...outcome(null), isOwnFault: true }
    const since = now - failingTooLongMs
    assert.deepStrictEqual(afterAttempt(1, own, since, now, 0.5), { _tag: "Retry", at: now + 5_000 })
    assert.deepStrictEqual(afterAttempt(10, own, since, now, 0.5), { _tag: "GiveUp" })
  })

  it("never retries in the past, earlier than four fifths of the step or later than twice it", () => {
    const attempts = fc.integer({ min: 1, max: 9 })
    const waits = fc.option(fc.integer({ min: 0, max: 10 ** 9 }))
    fc.assert(
      fc.property(attempts, waits, fc.double({ min: 0, max: 1, noNaN: true }), (attempt, wait, jitter) => {
        const next = afterAttempt(attempt, outcome(500, wait), null, now, jitter)
        const step = retryDelaysMs[attempt - 1] ?? 0
        assert.strictEqual(next._tag, "Retry")
        const waited = next._tag === "Retry" ? next.at - now : -1
        assert.isTrue(waited >= step * 0.8 - 1 && waited <= step * 2)
      })
    )
  })
})

describe("failingAfter", () => {
  it("is the first failure since the endpoint took anything", () => {
    assert.isNull(failingAfter(null, outcome(200), now))
    assert.strictEqual(failingAfter(null, outcome(500), now), now)
    assert.strictEqual(failingAfter(now, outcome(null), now + 1), now)
    assert.isNull(failingAfter(now, outcome(204), now + 2))
  })

  it("is not changed by what the service could not send", () => {
    const own = { ...outcome(null), isOwnFault: true }
    assert.isNull(failingAfter(null, own, now))
    assert.strictEqual(failingAfter(now - 1, own, now), now - 1)
  })
})
