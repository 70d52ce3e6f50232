import type { Payee, Sender } from "@bursar/core/port/FiatProvider"
import { accountKey } from "@bursar/core/transfer/PaidAccount"
import { payeeOfSender, senderDetails, senderOf } from "@bursar/core/transfer/sender"
import { payeeDetails, payeeIn } from "@bursar/core/transfer/transferOrder"
import { isProvided, isTransfer, providedKinds, transferKinds } from "@bursar/core/transfer/Transfer"
import { operationKinds } from "@bursar/core/operation/Operation"
import { payee } from "@bursar/testkit/fixtures/people"
import { assert, describe, it } from "@effect/vitest"
import { operationOf } from "./operationOf.ts"

/** An account of which nothing is said but this. */
const account = (more: Partial<Payee>): Payee => ({ ...payee, country: null, iban: null, ...more })

const from = (more: Partial<Sender>): Sender => ({
  name: "Rui Costa",
  iban: null,
  accountNumber: null,
  sortCode: null,
  routingNumber: null,
  bic: null,
  ...more
})

describe("an account that is paid", () => {
  const alike: ReadonlyArray<readonly [string, Partial<Payee>, Partial<Payee>]> = [
    [
      "an IBAN in groups and in small letters",
      { iban: "PT50000201231234567890154" },
      { iban: "pt50 0002-0123 1234 5678 9015 4" }
    ],
    [
      "a sort code with its hyphens",
      { sortCode: "12-34-56", accountNumber: "12345678" },
      { sortCode: "123456", accountNumber: "1234 5678" }
    ],
    [
      "a British IBAN and what it is made of",
      { iban: "GB29 NWBK 6016 1331 9268 19" },
      { sortCode: "60-16-13", accountNumber: "31926819" }
    ],
    [
      "a routing number",
      { routingNumber: "021 000 021", accountNumber: "1" },
      { routingNumber: "021000021", accountNumber: "1" }
    ],
    [
      "a bank with and without its branch",
      { bic: "DEUTDEFF500", accountNumber: "1" },
      { bic: "deutdeff", accountNumber: "1" }
    ],
    [
      "whoever it is said to belong to",
      { iban: "PT1", name: "Ana", country: "PT" },
      { iban: "PT1", name: "Bea", country: "ES" }
    ]
  ]
  for (const [what, one, other] of alike)
    it(`is the same by ${what}`, () => assert.strictEqual(accountKey(account(one)), accountKey(account(other))))

  it("is another with anything else that names it", () => {
    const number = { accountNumber: "12345678" }
    const all = [
      { iban: "PT50000201231234567890154" },
      { iban: "PT50000201231234567890155" },
      { iban: "GB29NWBK60161331926819" },
      { iban: "XGB29NWBK60161331926819" },
      { iban: "GB29NWBK601613319268190" },
      { ...number },
      { ...number, country: "PT" },
      { accountNumber: null },
      { ...number, sortCode: "601613" },
      { ...number, sortCode: "601614" },
      { ...number, routingNumber: "601613" },
      { ...number, routingNumber: "601614" },
      { ...number, bic: "DEUTDEFF" },
      { ...number, bic: "DEUTDEFG" },
      { accountNumber: "12345679", bic: "DEUTDEFF" }
    ].map((one) => accountKey(account(one)))
    assert.strictEqual(new Set(all).size, all.length)
  })
})

describe("who paid in", () => {
  it("is kept where the account can be paid to, the first time that it is told", () => {
    const payable: ReadonlyArray<Partial<Sender>> = [
      { iban: "PT50000201231234567890154" },
      { accountNumber: "1", sortCode: "601613" },
      { accountNumber: "1", routingNumber: "021000021" },
      { accountNumber: "1", bic: "DEUTDEFF" }
    ]
    const onRamp = operationOf("ON_RAMP")
    for (const one of payable) {
      const details = senderDetails(onRamp, from(one))
      assert.deepStrictEqual(senderOf({ ...onRamp, details }), payeeOfSender(from(one)))
      assert.deepStrictEqual(senderDetails({ ...onRamp, details }, from({ iban: "PT1" })), {}, "a second word")
    }
    for (const one of [{}, { accountNumber: "1" }, { sortCode: "601613" }, { bic: "DEUTDEFF" }, { iban: "PT5\u0000" }])
      assert.deepStrictEqual(senderDetails(onRamp, from(one)), {}, JSON.stringify(one))
    assert.deepStrictEqual(senderDetails(onRamp, null), {})
    assert.isNull(senderOf(onRamp))
  })

  it("is paid as what was told: the country is that of the IBAN, and a name that is not known is none", () => {
    const iban = "PT50000201231234567890154"
    assert.deepStrictEqual(payeeOfSender(from({ iban, bic: "BCOMPTPL" })), {
      ...payee,
      name: "Rui Costa",
      iban,
      bic: "BCOMPTPL"
    })
    const unnamed = payeeOfSender(from({ name: null, accountNumber: "1", routingNumber: "2", sortCode: "3" }))
    assert.deepStrictEqual(unnamed, account({ name: "", accountNumber: "1", routingNumber: "2", sortCode: "3" }))
  })
})

describe("a payee in the details of an operation", () => {
  it("is read as it was written, and by what is there where it was written long ago", () => {
    const whole: Payee = {
      name: "Ana",
      country: "GB",
      holderType: "BUSINESS",
      iban: "GB1",
      accountNumber: "1",
      sortCode: "2",
      routingNumber: "3",
      bic: "4",
      bankName: "5",
      purpose: "6"
    }
    assert.deepStrictEqual(payeeIn(payeeDetails(whole)), whole)
    for (const nobody of [null, undefined]) assert.isNull(payeeIn(nobody))
    const nothing = payeeIn({})
    assert.deepStrictEqual(nothing, account({ name: "" }))
  })
})

describe("the kinds of transfer", () => {
  it("are those that a provider carries out, and the one within the service", () => {
    for (const kind of operationKinds) {
      assert.strictEqual(
        isProvided(kind),
        providedKinds.some((one) => one === kind),
        kind
      )
      assert.strictEqual(
        isTransfer(kind),
        transferKinds.some((one) => one === kind),
        kind
      )
    }
    assert.isTrue(isTransfer("INTERNAL_TRANSFER") && !isProvided("INTERNAL_TRANSFER"))
    assert.isFalse(isTransfer("SWAP"))
  })
})
