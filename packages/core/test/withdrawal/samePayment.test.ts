import { of } from "@bursar/core/money/Amount"
import { isSamePayment } from "@bursar/core/withdrawal/paymentOf"
import { bareOperation, newIdAt } from "@bursar/testkit/fixtures/records"
import { tenantRecord } from "@bursar/testkit/fixtures/tenants"
import { assert, describe, it } from "@effect/vitest"

const partOf = (account: string, memo: string) => (memo.startsWith("4") ? `M-${account}-${memo}` : undefined)

/** A withdrawal to an address. */
const to = (address: string, memo: string | null = null, currency = "USDC_XLM", network = "stellar") =>
  bareOperation(
    { newId: () => newIdAt(1), now: 1, tenant: tenantRecord(1) },
    { kind: "WITHDRAWAL", network, amount: of(100n, currency), details: { destination: { address, memo } } }
  )

const areSame = (one: ReturnType<typeof to>, other: ReturnType<typeof to>) => {
  const [same, turned] = [isSamePayment(one, other, "aa", partOf), isSamePayment(other, one, "aa", partOf)]
  assert.strictEqual(same, turned)
  return same
}

describe("two withdrawals by one transaction", () => {
  it("are paid by the same payment where they go to one address in one currency", () => {
    assert.isTrue(areSame(to("G"), to("G", "42")))
    assert.isTrue(areSame(to("G", "42"), to("G", "43")))
    assert.isFalse(areSame(to("G"), to("H")))
    assert.isFalse(areSame(to("G"), to("G", null, "XLM")))
  })

  it("may be paid by the same payment where one is to an account with a memo and the other to the part of it that the memo names", () => {
    assert.isTrue(areSame(to("G", "42"), to("M-G-42")))
    assert.isFalse(areSame(to("G", "43"), to("M-G-42")))
    assert.isFalse(areSame(to("G", "text"), to("M-G-42")))
    assert.isFalse(areSame(to("H", "42"), to("M-G-42")))
    assert.isFalse(areSame(to("G", "42"), to("M-G-42", null, "XLM")))
    assert.isFalse(areSame(to("G", "42", "USDC_XLM", "other"), to("M-G-42")))
  })

  it("are not where they go to two parts of an account, or to a part and to the account without a memo", () => {
    assert.isFalse(areSame(to("M-G-42"), to("M-G-43")))
    assert.isFalse(areSame(to("M-G-42"), to("G")))
  })

  it("are not where no account has parts, but to one address", () => {
    assert.isTrue(isSamePayment(to("G", "42"), to("G"), "aa", undefined))
    assert.isFalse(isSamePayment(to("G", "42"), to("M-G-42"), "aa", undefined))
  })
})
