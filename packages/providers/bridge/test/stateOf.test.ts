import { assert, describe, it } from "@effect/vitest"
import { stateOf, transferStates } from "../src/stateOf.ts"

const table = [
  ["awaiting_funds", "AWAITING_FUNDS"],
  ["in_review", "IN_REVIEW"],
  ["kyc_in_review", "IN_REVIEW"],
  ["funds_received", "PROCESSING"],
  ["payment_submitted", "SENT"],
  ["payment_processed", "SETTLED"],
  ["canceled", "FAILED"],
  ["refunded", "RETURNED"],
  ["undeliverable", "UNRESOLVED"],
  ["returned", "UNRESOLVED"],
  ["missing_return_policy", "UNRESOLVED"],
  ["refund_in_flight", "UNRESOLVED"],
  ["refund_failed", "UNRESOLVED"],
  ["error", "UNRESOLVED"]
] as const

describe("stateOf", () => {
  it.each(table)("%s is %s", (state, status) => {
    assert.strictEqual(stateOf(state), status)
  })

  it("lists every state once", () => {
    assert.sameMembers(
      Object.keys(transferStates),
      table.map(([state]) => state)
    )
  })

  it.each(["", "settled", "PAYMENT_PROCESSED", "toString"])("concludes nothing from %j", (state) => {
    assert.strictEqual(stateOf(state), "UNRESOLVED")
  })
})
