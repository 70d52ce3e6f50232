import { assert, describe, it } from "@effect/vitest"
import { britishAccountNumber, countryOf, isRoutingNumber, isSortCode } from "../../src/wire/bankCodes.ts"

describe("isRoutingNumber", () => {
  it.each(["021000021", "011401533", "091000019", "121000248", "322271627", "800000006"])("takes %s", (text) => {
    assert.isTrue(isRoutingNumber(text))
  })

  it.each(["021000022", "120000021", "000000000", "02100002", "0210000210", "02100002a", "130000018", "990000011", ""])(
    "refuses %j",
    (text) => {
      assert.isFalse(isRoutingNumber(text))
    }
  )

  it("notices any one digit that is wrong", () => {
    const right = "021000021"
    for (let index = 0; index < right.length; index++) {
      for (let digit = 0; digit < 10; digit++) {
        const text = right.slice(0, index) + digit + right.slice(index + 1)
        assert.strictEqual(isRoutingNumber(text), text === right, text)
      }
    }
  })
})

describe("countryOf", () => {
  it.each([
    ["PT", "PT"],
    ["pt", "PT"],
    ["PRT", "PT"],
    ["GBR", "GB"],
    ["XX", undefined],
    ["XXX", undefined],
    ["P", undefined],
    ["constructor", undefined]
  ])("%s is %s", (text, country) => {
    assert.strictEqual(countryOf(text), country)
  })
})

describe("British codes", () => {
  it.each([
    ["12345678", "12345678"],
    ["1234567", "01234567"],
    ["123456", "00123456"],
    ["12345", undefined],
    ["123456789", undefined],
    ["00000000", undefined],
    ["1234567A", undefined]
  ])("account number %s is %s", (text, number) => {
    assert.strictEqual(britishAccountNumber(text), number)
  })

  it.each([
    ["040004", true],
    ["40004", false],
    ["0400040", false],
    ["000000", false],
    ["04000A", false]
  ])("sort code %s: %s", (text, right) => {
    assert.strictEqual(isSortCode(text), right)
  })
})
