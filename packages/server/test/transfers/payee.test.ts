import type { Payee } from "@bursar/core/port/FiatProvider"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { type PayeeIn, payeeOf } from "../../src/handlers/transfers/payee.ts"

const portuguese = "PT50000201231234567890154"
const british = "GB29NWBK60161331926819"

const to = (account: string, beneficiary: PayeeIn["beneficiary"] = null): PayeeIn => ({
  beneficiary_name: "Ana Silva",
  beneficiary_account: account,
  beneficiary
})

type Ask = readonly [PayeeIn, currency: string, country: string | null, rail?: string | null]

const asking = ([payee, currency, country, rail]: Ask) =>
  payeeOf({ beneficiary_country: country, ...payee }, currency, rail)

const right: ReadonlyArray<readonly [name: string, ask: Ask, payee: Partial<Payee>]> = [
  ["an IBAN in euro", [to(portuguese), "EUR", null], { iban: portuguese, country: "PT", holderType: "INDIVIDUAL" }],
  ["an IBAN as people write it", [to("pt50 0002 0123 1234 5678 9015 4"), "EUR", null], { iban: portuguese }],
  ["an IBAN twice", [to(portuguese, { iban: "PT50 0002 0123 1234 5678 9015 4" }), "EUR", null], { iban: portuguese }],
  ["an IBAN with its BIC", [to(portuguese, { bic: "bcompTpl" }), "EUR", null, "SEPA"], { bic: "BCOMPTPL" }],
  ["who lives where the request says", [{ ...to(portuguese), country: "FRA" }, "EUR", null], { country: "FR" }],
  ["who lives elsewhere than the request", [{ ...to(portuguese), country: "FRA" }, "EUR", "ES"], { country: "ES" }],
  ["who lives elsewhere", [to(portuguese), "EUR", "FRA", "sepa_instant"], { iban: portuguese, country: "FR" }],
  [
    "a sort code and an account number",
    [to("31926819", { sort_code: "60-16-13" }), "GBP", "GB"],
    { sortCode: "601613", accountNumber: "31926819", iban: null }
  ],
  ["an old account number", [to("192681", { sort_code: "601613" }), "GBP", null, "FPS"], { accountNumber: "00192681" }],
  ["a British IBAN in pounds", [to(british), "GBP", null], { sortCode: "601613", accountNumber: "31926819" }],
  [
    "a British IBAN beside what it says",
    [to("31926819", { sort_code: "601613", iban: british, account_number: "31926819" }), "GBP", null],
    { sortCode: "601613", accountNumber: "31926819" }
  ],
  [
    "a routing number and an account number",
    [to("1234-5678 9", { routing_number: "021000021", holder_type: "BUSINESS", bank_name: "A bank" }), "USD", "US"],
    { routingNumber: "021000021", accountNumber: "123456789", holderType: "BUSINESS", bankName: "A bank", iban: null }
  ],
  [
    "an IBAN by SWIFT",
    [to(portuguese, { bic: "BCOMPTPL", purpose: "rent" }), "USD", null, "SWIFT"],
    { iban: portuguese, bic: "BCOMPTPL", accountNumber: null, purpose: "rent" }
  ],
  [
    "an account number by SWIFT, of a currency that has no rail of its own",
    [to("0012345678", { bic: "BOTKJPJT" }), "JPY", "JP"],
    { accountNumber: "0012345678", bic: "BOTKJPJT", iban: null, country: "JP" }
  ]
]

const wrong: ReadonlyArray<readonly [name: string, ask: Ask, paths: ReadonlyArray<string>]> = [
  ["an IBAN with a wrong digit", [to("PT50000201231234567890155"), "EUR", null], ["beneficiary_account"]],
  ["an IBAN that is too short", [to("PT5000020123123456789015"), "EUR", null], ["beneficiary_account"]],
  ["no IBAN at all", [to("31926819"), "EUR", null], ["beneficiary_account"]],
  ["two IBANs", [to(portuguese, { iban: british }), "EUR", null], ["beneficiary.iban"]],
  ["an IBAN outside SEPA", [to("AE070331234567890123456"), "EUR", null], ["beneficiary_account"]],
  ["a BIC that is none", [to(portuguese, { bic: "BCOMPTPLX" }), "EUR", null], ["beneficiary.bic"]],
  ["what SEPA ignores", [to(portuguese, { sort_code: "601613" }), "EUR", null], ["beneficiary.sort_code"]],
  [
    "what SEPA ignores, another",
    [to(portuguese, { account_number: "154", routing_number: "021000021" }), "EUR", null],
    ["beneficiary.account_number", "beneficiary.routing_number"]
  ],
  ["no sort code", [to("31926819"), "GBP", null], ["beneficiary.sort_code"]],
  ["a short sort code", [to("31926819", { sort_code: "60161" }), "GBP", null], ["beneficiary.sort_code"]],
  ["a long account number", [to("319268190", { sort_code: "601613" }), "GBP", null], ["beneficiary_account"]],
  [
    "two British account numbers",
    [to("31926819", { sort_code: "601613", account_number: "31926818" }), "GBP", null],
    ["beneficiary.account_number"]
  ],
  [
    "a sort code that is not the IBAN's",
    [to(british, { sort_code: "601614" }), "GBP", null],
    ["beneficiary.sort_code"]
  ],
  [
    "an account number that is not the IBAN's",
    [to(british, { account_number: "31926818" }), "GBP", null],
    ["beneficiary.account_number"]
  ],
  [
    "an IBAN of another account",
    [to("31926818", { sort_code: "601613", iban: british }), "GBP", null],
    ["beneficiary.account_number"]
  ],
  [
    "a British IBAN with a wrong digit",
    [to("GB29NWBK60161331926818"), "GBP", null],
    ["beneficiary_account", "beneficiary.sort_code"]
  ],
  [
    "a foreign IBAN in pounds",
    [to("31926819", { iban: portuguese, sort_code: "601613" }), "GBP", null],
    ["beneficiary.iban"]
  ],
  ["no routing number", [to("123456789"), "USD", null], ["beneficiary.routing_number"]],
  [
    "a routing number with a wrong digit",
    [to("123456789", { routing_number: "021000022" }), "USD", null],
    ["beneficiary.routing_number"]
  ],
  [
    "an American account number with letters",
    [to("12345678X", { routing_number: "021000021" }), "USD", null, "ACH"],
    ["beneficiary_account"]
  ],
  ["an IBAN by ACH", [to(portuguese), "USD", null], ["beneficiary.routing_number", "beneficiary_account"]],
  ["SWIFT without a BIC", [to(portuguese), "USD", null, "SWIFT"], ["beneficiary.bic"]],
  ["another currency without a BIC", [to("12345678"), "JPY", null], ["beneficiary.bic"]],
  ["a rail of another currency", [to(portuguese), "USD", null, "SEPA"], ["rail"]],
  ["a rail that there is not", [to(portuguese), "EUR", null, "PIGEON"], ["rail"]],
  ["a country that there is not", [to(portuguese), "EUR", "XX"], ["beneficiary_country"]],
  [
    "a country that there is not where that of the payee is named",
    [{ ...to(portuguese), country: "UK" }, "EUR", "PT"],
    ["country"]
  ],
  [
    "two countries that there are not",
    [{ ...to(portuguese), country: "UK" }, "EUR", "EU"],
    ["beneficiary_country", "country"]
  ],
  ["no name", [{ ...to(portuguese), beneficiary_name: "  " }, "EUR", null], ["beneficiary_name"]],
  ["a name of two lines", [{ ...to(portuguese), beneficiary_name: "Ana\nSilva" }, "EUR", null], ["beneficiary_name"]],
  ["a holder of no kind", [to(portuguese, { holder_type: "ROBOT" }), "EUR", null], ["beneficiary.holder_type"]],
  [
    "everything at once",
    [{ ...to("1", { bic: "X", holder_type: "ROBOT", iban: "2" }), beneficiary_name: "" }, "EUR", "??"],
    [
      "beneficiary_name",
      "beneficiary_country",
      "beneficiary.bic",
      "beneficiary.holder_type",
      "beneficiary.iban",
      "beneficiary.iban"
    ]
  ]
]

describe("payeeOf", () => {
  it.each(right)("takes %s", (_, ask, payee) => {
    const result = asking(ask)
    if (Result.isFailure(result)) assert.fail(JSON.stringify(result.failure))
    assert.deepInclude(result.success, payee)
  })

  it.each(wrong)("refuses %s", (_, ask, paths) => {
    const result = asking(ask)
    assert.deepStrictEqual(
      Result.isFailure(result) ? result.failure.map(({ path }) => path).toSorted() : result.success,
      paths.toSorted()
    )
  })

  it("repeats no account in what it says", () => {
    for (const [, ask] of wrong) {
      const result = asking(ask)
      if (Result.isFailure(result)) assert.notMatch(JSON.stringify(result.failure), /\d{5}/u)
    }
  })
})
