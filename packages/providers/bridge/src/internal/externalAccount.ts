import type { Payee } from "@bursar/core/port/FiatProvider"
import { alpha3 } from "./country.ts"

/** Bridge wants a first and a last name: the last word is the last name; who has one word has it twice. */
const ownerOf = ({ holderType, name }: Payee) => {
  if (holderType === "BUSINESS") return { account_owner_type: "business", business_name: name }
  const words = name.trim().split(/\s+/u)
  const last = words.at(-1) ?? name
  return {
    account_owner_type: "individual",
    first_name: words.length > 1 ? words.slice(0, -1).join(" ") : last,
    last_name: last
  }
}

const detailsOf = ({ accountNumber, bic, country, iban, routingNumber, sortCode }: Payee) => {
  if (iban !== null) {
    const of = country ?? iban.slice(0, 2)
    return {
      account_type: "iban",
      iban: { account_number: iban, ...(bic === null ? {} : { bic }), country: alpha3(of) }
    }
  }
  if (accountNumber === null) return undefined
  if (sortCode !== null) return { account_type: "gb", account: { account_number: accountNumber, sort_code: sortCode } }
  if (routingNumber === null) return undefined
  return {
    account_type: "us",
    account: { account_number: accountNumber, routing_number: routingNumber, checking_or_savings: "checking" }
  }
}

/** A payee as Bridge registers a bank account; undefined where the details name no account. */
export const externalAccountOf = (payee: Payee, currency: string): object | undefined => {
  const details = detailsOf(payee)
  if (details === undefined) return undefined
  return {
    currency: currency.toLowerCase(),
    account_owner_name: payee.name,
    ...(payee.bankName === null ? {} : { bank_name: payee.bankName }),
    ...ownerOf(payee),
    ...details
  }
}
