import { assert, describe, it } from "@effect/vitest"
import { isValidBIC, isValidIBAN } from "ibantools"
import { accountCurrencies, accountDetails } from "../../src/fiat/accountDetails.ts"

const weights = [3, 7, 1]

describe("accountDetails", () => {
  it("are well formed, whatever the id", () => {
    for (let count = 0; count < 200; count++) {
      const details = accountCurrencies.map((currency) => accountDetails(`acc_${count}`, currency))
      const [eur, gbp, usd] = details
      assert.isTrue(isValidIBAN(eur?.iban ?? ""))
      assert.isTrue(isValidIBAN(gbp?.iban ?? ""))
      assert.match(gbp?.accountNumber ?? "", /^\d{8}$/u)
      assert.match(gbp?.sortCode ?? "", /^\d{6}$/u)
      assert.match(usd?.accountNumber ?? "", /^\d{12}$/u)
      const digits = [...(usd?.sortCode ?? "")].map(Number)
      assert.strictEqual(digits.reduce((sum, digit, index) => sum + digit * (weights[index % 3] ?? 0), 0) % 10, 0)
      for (const one of details) assert.isTrue(isValidBIC(one?.bic ?? ""))
    }
  })

  it("are the same for an account every time, and others for another", () => {
    assert.deepStrictEqual(accountDetails("a", "EUR"), accountDetails("a", "EUR"))
    assert.notDeepEqual(accountDetails("a", "EUR"), accountDetails("b", "EUR"))
    assert.isUndefined(accountDetails("a", "JPY"))
  })
})
