import { isOutcome, refusalCodes } from "@bursar/core/base/Refusal"
import { assert, it } from "@effect/vitest"

it("is kept under an idempotency key unless it says nothing about the request", () => {
  const sayNothing = [
    "fenced",
    "not_granted",
    "pair_unavailable",
    "payouts_disabled",
    "plan_invalid",
    "price_unavailable",
    "product_not_enabled",
    "provider_unavailable",
    "stale"
  ]
  assert.deepStrictEqual(refusalCodes.filter((code) => !isOutcome(code)).toSorted(), sayNothing)
})
