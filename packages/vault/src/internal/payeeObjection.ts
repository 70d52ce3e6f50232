import type { CreateTransfer } from "@bursar/api/wire/Transfer"
import type { Payee } from "@bursar/core/port/FiatProvider"

/** Spaces and dashes are for people. */
const compact = (text: string | null | undefined): string | undefined =>
  text === null || text === undefined ? undefined : text.replace(/[\s-]/gu, "").toUpperCase()

const britishDigits = 8

type Field = "iban" | "accountNumber" | "sortCode" | "routingNumber" | "bic"

/** What a request may mean by each field of an account: what it says there, or what a British IBAN has in it. */
const meant = ({
  beneficiary,
  beneficiary_account: named
}: CreateTransfer): Readonly<Record<Field, ReadonlyArray<string | undefined>>> => {
  const account = compact(named)
  const iban = compact(beneficiary?.iban) ?? account
  const british = iban?.startsWith("GB") === true ? iban : undefined
  const numbers = [compact(beneficiary?.account_number), account]
  return {
    iban: [compact(beneficiary?.iban), account],
    accountNumber: [...numbers, ...numbers.map((one) => one?.padStart(britishDigits, "0")), british?.slice(14)],
    sortCode: [compact(beneficiary?.sort_code), british?.slice(8, 14)],
    routingNumber: [compact(beneficiary?.routing_number)],
    bic: [compact(beneficiary?.bic)]
  }
}

/** Why an account is not the one that a signed request names; undefined where it is. Every field of it must stand in the request. */
export const payeeObjection = (payee: Payee | null, request: CreateTransfer): string | undefined => {
  if (payee === null) return "it names nobody to pay"
  if (payee.name !== request.beneficiary_name.trim()) return "it pays somebody else than the signed request names"
  if (payee.iban === null && payee.accountNumber === null) return "it names no account to pay"
  const said = meant(request)
  const fields: ReadonlyArray<Field> = ["iban", "accountNumber", "sortCode", "routingNumber", "bic"]
  const strange = fields.find((field) => {
    const value = payee[field]
    return value !== null && !said[field].includes(value)
  })
  return strange === undefined ? undefined : "it pays another account than the signed request names"
}
