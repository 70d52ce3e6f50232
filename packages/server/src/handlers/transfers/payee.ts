import type { Beneficiary, CreateTransfer } from "@bursar/api/wire/Transfer"
import type { Payee } from "@bursar/core/port/FiatProvider"
import { Result } from "effect"
import { isSEPACountry, isValidBIC, isValidIBAN } from "ibantools"
import { britishAccountNumber, compact, countryOf, isRoutingNumber, isSortCode } from "../../wire/bankCodes.ts"
import { type BankProblem, countryProblems, railProblems } from "./bankProblems.ts"
import { type Scheme, schemeOf } from "./railScheme.ts"

/** What a request says of whom it pays. */
export type PayeeIn = Pick<
  CreateTransfer,
  "beneficiary_name" | "beneficiary_account" | "beneficiary_country" | "beneficiary" | "country"
>

/** The country of whom a request pays, as it stands there; null where none is named. */
export const countryNamed = ({ beneficiary_country, country }: PayeeIn): string | null =>
  beneficiary_country ?? country ?? null

/** How an account is named, once it is right. */
type Details = Pick<Payee, "iban" | "accountNumber" | "sortCode" | "routingNumber" | "bic">

type Field = "iban" | "account_number" | "sort_code" | "routing_number" | "bic"

/** The fields that each scheme reads. Any other one is refused: it would be ignored, and somebody meant something by it. */
const reads: Readonly<Record<Scheme, ReadonlyArray<Field>>> = {
  SEPA: ["iban", "bic"],
  BRITISH: ["iban", "account_number", "sort_code", "bic"],
  AMERICAN: ["account_number", "routing_number", "bic"],
  SWIFT: ["iban", "account_number", "bic"]
}

const allFields: ReadonlyArray<Field> = ["iban", "account_number", "sort_code", "routing_number", "bic"]

const nameCharsMax = 140

/** An IBAN of at most 34 characters or an account number, without what is only for people. */
interface Given {
  readonly account: string
  readonly fields: Readonly<Partial<Record<Field, string>>>
}

const givenIn = ({ beneficiary, beneficiary_account: account }: PayeeIn): Given => ({
  account: compact(account),
  fields: Object.fromEntries(
    allFields.flatMap((field) => {
      const value = beneficiary?.[field]
      return value === null || value === undefined ? [] : [[field, compact(value)]]
    })
  )
})

/** `beneficiary_account` names the account as well; where both do, they must name the same. */
const agreeing = (given: Given, field: "iban" | "account_number"): ReadonlyArray<BankProblem> => {
  const value = given.fields[field]
  if (value === undefined || value === given.account) return []
  return [{ path: `beneficiary.${field}`, message: "This does not match beneficiary_account." }]
}

const ibanProblems = (given: Given, scheme: Scheme): ReadonlyArray<BankProblem> => {
  const path = given.fields.iban === undefined ? "beneficiary_account" : "beneficiary.iban"
  if (!isValidIBAN(given.account)) {
    return [{ path, message: "This is not an IBAN: a letter or digit is wrong, missing or extra." }]
  }
  return scheme !== "SEPA" || isSEPACountry(given.account.slice(0, 2))
    ? []
    : [{ path, message: "Its country is not in SEPA." }]
}

const sepa = (given: Given): Result.Result<Details, ReadonlyArray<BankProblem>> => {
  const problems = [...agreeing(given, "iban"), ...ibanProblems(given, "SEPA")]
  return problems.length > 0
    ? Result.fail(problems)
    : Result.succeed({ ...nothing, iban: given.account, bic: given.fields.bic ?? null })
}

const nothing: Details = { iban: null, accountNumber: null, sortCode: null, routingNumber: null, bic: null }

/** A British IBAN is `GB`, two check digits, four letters of the bank, its sort code and the account number. */
const partsOf = (iban: string): { readonly sortCode: string; readonly accountNumber: string } | undefined =>
  iban.startsWith("GB") && isValidIBAN(iban)
    ? { sortCode: iban.slice(8, 14), accountNumber: iban.slice(14) }
    : undefined

const british = (given: Given): Result.Result<Details, ReadonlyArray<BankProblem>> => {
  const { account_number: number, bic = null, iban: ibanField, sort_code: code } = given.fields
  const iban = ibanField ?? (given.account.startsWith("GB") ? given.account : undefined)
  const parts = iban === undefined ? undefined : partsOf(iban)
  const own = number ?? (given.account === iban ? undefined : given.account)
  const sortCode = code ?? parts?.sortCode
  const accountNumber = own === undefined ? parts?.accountNumber : britishAccountNumber(own)
  const problems: Array<BankProblem> = []
  const wrong = (path: string, message: string) => problems.push({ path, message })
  if (iban !== undefined && parts === undefined) {
    wrong(ibanField === undefined ? "beneficiary_account" : "beneficiary.iban", "It is not a British IBAN.")
  }
  if (sortCode === undefined) wrong("beneficiary.sort_code", "A sort code is needed.")
  else if (!isSortCode(sortCode)) wrong("beneficiary.sort_code", "A sort code has six digits.")
  if (accountNumber === undefined && (iban === undefined || own !== undefined)) {
    const path = number === undefined ? "beneficiary_account" : "beneficiary.account_number"
    wrong(path, "A British account number has eight digits.")
  }
  if (parts !== undefined && sortCode !== undefined && sortCode !== parts.sortCode) {
    wrong("beneficiary.sort_code", "It is not the sort code in the IBAN.")
  }
  if (parts !== undefined && accountNumber !== undefined && accountNumber !== parts.accountNumber) {
    wrong("beneficiary.account_number", "It is not the account number in the IBAN.")
  }
  if (number !== undefined && given.account !== iban && given.account !== number) {
    problems.push(...agreeing(given, "account_number"))
  }
  return problems.length > 0 || sortCode === undefined || accountNumber === undefined
    ? Result.fail(problems)
    : Result.succeed({ ...nothing, sortCode, accountNumber, bic })
}

const american = (given: Given): Result.Result<Details, ReadonlyArray<BankProblem>> => {
  const { bic = null, routing_number: routingNumber } = given.fields
  const problems = [...agreeing(given, "account_number")]
  if (routingNumber === undefined) {
    problems.push({ path: "beneficiary.routing_number", message: "A routing number is needed." })
  } else if (!isRoutingNumber(routingNumber)) {
    problems.push({ path: "beneficiary.routing_number", message: "This is not an ABA routing number." })
  }
  if (!/^\d{4,17}$/u.test(given.account)) {
    problems.push({ path: "beneficiary_account", message: "An American account number has 4 to 17 digits." })
  }
  return problems.length > 0 || routingNumber === undefined
    ? Result.fail(problems)
    : Result.succeed({ ...nothing, routingNumber, accountNumber: given.account, bic })
}

const swift = (given: Given): Result.Result<Details, ReadonlyArray<BankProblem>> => {
  const { bic, iban } = given.fields
  const byIban = iban !== undefined || isValidIBAN(given.account)
  const problems = [
    ...agreeing(given, "account_number"),
    ...(byIban ? [...agreeing(given, "iban"), ...ibanProblems(given, "SWIFT")] : [])
  ]
  if (bic === undefined) problems.push({ path: "beneficiary.bic", message: "A BIC is needed." })
  if (!byIban && !/^[A-Z0-9]{4,34}$/u.test(given.account)) {
    problems.push({ path: "beneficiary_account", message: "An account number has 4 to 34 letters and digits." })
  }
  return problems.length > 0 || bic === undefined
    ? Result.fail(problems)
    : Result.succeed({ ...nothing, [byIban ? "iban" : "accountNumber"]: given.account, bic })
}

const schemes = { SEPA: sepa, BRITISH: british, AMERICAN: american, SWIFT: swift }

const holderTypes: ReadonlyArray<string> = ["INDIVIDUAL", "BUSINESS"]

/** What is wrong with how somebody who is paid is called. */
export const nameProblems = (name: string): ReadonlyArray<BankProblem> =>
  name.trim() === "" || name.length > nameCharsMax || /\p{Cc}/u.test(name)
    ? [{ path: "beneficiary_name", message: `A name of up to ${nameCharsMax} characters in one line is needed.` }]
    : []

/** What every scheme wants. */
const generalProblems = (payee: PayeeIn, { fields }: Given): ReadonlyArray<BankProblem> => {
  const { beneficiary, beneficiary_name: name } = payee
  const problems: Array<BankProblem> = [...nameProblems(name), ...countryProblems(payee)]
  if (fields.bic !== undefined && !isValidBIC(fields.bic)) {
    problems.push({ path: "beneficiary.bic", message: "This is not a BIC: a BIC has 8 or 11 letters and digits." })
  }
  const holderType = beneficiary?.holder_type
  if (holderType !== undefined && !holderTypes.includes(holderType)) {
    problems.push({ path: "beneficiary.holder_type", message: `It is one of ${holderTypes.join(" and ")}.` })
  }
  return problems
}

const ignored = ({ fields }: Given, scheme: Scheme): ReadonlyArray<BankProblem> =>
  allFields.flatMap((field) =>
    fields[field] === undefined || reads[scheme].includes(field)
      ? []
      : [{ path: `beneficiary.${field}`, message: "Transfers on this rail do not use it." }]
  )

const textOf = (beneficiary: Beneficiary | null | undefined, field: "bank_name" | "purpose"): string | null =>
  beneficiary?.[field] ?? null

/**
 * Reads whom a transfer pays, and checks whatever can be checked without asking a bank: the check digits of IBANs and
 * routing numbers, the form of everything else, that two fields do not name two accounts, and that no field is given which
 * the rail would ignore. `currency` is the one that the payee gets; without a `rail` its usual one is meant. Tells
 * everything that is wrong at once.
 */
export const payeeOf = (
  beneficiary: PayeeIn,
  currency: string,
  rail: string | null = null
): Result.Result<Payee, ReadonlyArray<BankProblem>> => {
  const scheme = schemeOf(rail, currency)
  const given = givenIn(beneficiary)
  const general = generalProblems(beneficiary, given)
  if (typeof scheme === "object") return Result.fail([...railProblems(rail, currency), ...general])
  const unused = ignored(given, scheme)
  const details = schemes[scheme](given)
  const problems = [...general, ...unused, ...(Result.isFailure(details) ? details.failure : [])]
  if (Result.isFailure(details) || problems.length > 0) return Result.fail(problems)
  const country = countryNamed(beneficiary)
  const named = country === null ? details.success.iban?.slice(0, 2) : countryOf(country)
  return Result.succeed({
    name: beneficiary.beneficiary_name.trim(),
    country: named ?? null,
    holderType: beneficiary.beneficiary?.holder_type === "BUSINESS" ? "BUSINESS" : "INDIVIDUAL",
    bankName: textOf(beneficiary.beneficiary, "bank_name"),
    purpose: textOf(beneficiary.beneficiary, "purpose"),
    ...details.success
  })
}
