import { defaultPolicy, policyOfNew, signedProducts } from "@bursar/core/tenant/Tenant"
import { centsOf, usdText } from "@bursar/core/tenant/usd"
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"

describe("what a new tenant starts with", () => {
  it("asks one with real money for proofs of addresses, and for signatures of what names any receiver", () => {
    const { addressProofRequired, signaturesRequired, ...rest } = policyOfNew("LIVE")
    assert.isTrue(addressProofRequired)
    assert.deepStrictEqual(signaturesRequired, ["transfers", "xpubs"])
    assert.includeMembers([...signedProducts], [...signaturesRequired])
    assert.deepStrictEqual({ ...rest, addressProofRequired: false, signaturesRequired: [] }, defaultPolicy)
  })

  it("asks one of a sandbox for neither", () => {
    assert.deepStrictEqual(policyOfNew("SANDBOX"), defaultPolicy)
    assert.isFalse(defaultPolicy.addressProofRequired)
    assert.deepStrictEqual(defaultPolicy.signaturesRequired, [])
  })
})

describe("a limit in US dollars", () => {
  it("is read as the cents that it was written from", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (cents) => {
        assert.strictEqual(centsOf(usdText(cents)), cents)
      })
    )
  })

  it.each([
    ["0", 0n],
    ["10000", 1_000_000n],
    ["0.01", 1n],
    ["0.019", 1n],
    ["0.999", 99n],
    ["25000.5", 2_500_050n],
    ["1.009999999999999999", 100n]
  ])(
    "%s is %s cents: what is less than a cent is none, so that a limit never admits more than it says",
    (text, cents) => {
      assert.strictEqual(centsOf(text), cents)
    }
  )

  it.each(["", "x", "1,5", "1e3", "$5"])("is never read from %j", (text) => {
    assert.throws(() => centsOf(text), /is not an amount of US dollars/u)
  })
})
