import { belowMinimum, notCovered, notRefundable } from "@bursar/core/money/refuseAmount"
import { assert, describe, it } from "@effect/vitest"

const currency = { code: "XYZ", decimals: 2 }
const money = (amount: string) => ({ amount, currency: "XYZ" })

describe("the refusal of an amount", () => {
  it("that is not covered says what is there, what is backed and what is needed", () => {
    const { code, detail, message } = notCovered(currency, { available: 999n, backed: 500n, required: 1_000n })
    assert.strictEqual(code, "insufficient_balance")
    assert.deepStrictEqual(detail, { available: money("9.99"), backed: money("5"), required: money("10") })
    assert.include(message, "does not cover")
  })

  it("that only coins elsewhere cover tells to move them, also where the balance is just enough", () => {
    for (const available of [1_000n, 1_001n]) {
      const { message } = notCovered(currency, { available, backed: 999n, required: 1_000n })
      assert.include(message, "move them to a deposit address")
    }
  })

  it("that is too small says what would do", () => {
    const refusal = belowMinimum(currency, 125n, "Too small.")
    assert.strictEqual(refusal.code, "below_minimum")
    assert.strictEqual(refusal.message, "Too small.")
    assert.deepStrictEqual(refusal.detail, { minimum: money("1.25") })
  })

  it("to be paid back says what came in and what is left of it", () => {
    const { code, detail } = notRefundable(currency, { brought: 1_000n, left: 1n })
    assert.strictEqual(code, "insufficient_balance")
    assert.deepStrictEqual(detail, { brought: money("10"), refundable: money("0.01") })
  })
})
