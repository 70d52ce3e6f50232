import { assert, describe, it } from "@effect/vitest"
import { statusOf } from "../src/statusOf.ts"

const table = [
  ["init", null, null, "PENDING"],
  ["pending", null, null, "IN_REVIEW"],
  ["prechecked", null, null, "IN_REVIEW"],
  ["queued", null, null, "IN_REVIEW"],
  ["onHold", null, null, "IN_REVIEW"],
  ["awaitingService", null, null, "IN_REVIEW"],
  ["awaitingUser", null, null, "ACTION_REQUIRED"],
  ["completed", "GREEN", null, "APPROVED"],
  ["completed", "RED", "FINAL", "REJECTED"],
  ["completed", "RED", "RETRY", "ACTION_REQUIRED"],
  ["completed", "RED", null, "REJECTED"],
  // The verdict of an earlier round says nothing while another is under way.
  ["pending", "GREEN", null, "IN_REVIEW"],
  ["init", "RED", "FINAL", "PENDING"],
  ["completed", null, null, undefined],
  ["completed", "YELLOW", null, undefined],
  ["toString", null, null, undefined],
  ["", null, null, undefined]
] as const

describe("statusOf", () => {
  it.each(table)("%s, %s, %s is %s", (reviewStatus, reviewAnswer, reviewRejectType, status) => {
    assert.strictEqual(statusOf({ reviewStatus, reviewAnswer, reviewRejectType }), status)
  })
})
