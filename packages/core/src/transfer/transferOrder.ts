import type { Json } from "../base/Json.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Payee, TransferOrder } from "../port/FiatProvider.ts"
import { isProvided } from "./Transfer.ts"
import { transferSentAt } from "./transferQueue.ts"

/** A payee as the details of an operation keep it. */
export const payeeDetails = (payee: Payee): { readonly [key: string]: Json } => ({
  name: payee.name,
  country: payee.country,
  holder_type: payee.holderType,
  iban: payee.iban,
  account_number: payee.accountNumber,
  sort_code: payee.sortCode,
  routing_number: payee.routingNumber,
  bic: payee.bic,
  bank_name: payee.bankName,
  purpose: payee.purpose
})

const textIn = (value: Json | undefined): string | null => (typeof value === "string" ? value : null)

/** A payee that the details of an operation keep; null where they keep none. */
export const payeeIn = (value: Json | undefined): Payee | null => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null
  const stored = value as { readonly [key: string]: Json } // what is an object and no array has keys
  return {
    name: textIn(stored["name"]) ?? "",
    country: textIn(stored["country"]),
    holderType: stored["holder_type"] === "BUSINESS" ? "BUSINESS" : "INDIVIDUAL",
    iban: textIn(stored["iban"]),
    accountNumber: textIn(stored["account_number"]),
    sortCode: textIn(stored["sort_code"]),
    routingNumber: textIn(stored["routing_number"]),
    bic: textIn(stored["bic"]),
    bankName: textIn(stored["bank_name"]),
    purpose: textIn(stored["purpose"])
  }
}

/** Whom a transfer pays; null for one that pays nobody. */
export const payeeOf = ({ details }: Pick<Operation, "details">): Payee | null => payeeIn(details["payee"])

/** The currency that the receiver of a transfer gets: that of the amount where nothing else was agreed. */
export const receivedCurrencyOf = ({ amount, details }: Operation): string =>
  textIn(details["to_currency"]) ?? amount.currency

/** The order of a transfer as it goes to the provider, the same every time; undefined for an operation that has none. */
export const transferOrderOf = (operation: Operation): TransferOrder | undefined => {
  const { amount, createdAt, details, id, kind } = operation
  if (!isProvided(kind)) return undefined
  const currency = receivedCurrencyOf(operation)
  return {
    reference: id,
    sentAt: transferSentAt(operation) ?? createdAt,
    kind,
    amount,
    toCurrency: currency === amount.currency ? null : currency,
    providerCustomerId: textIn(details["provider_customer_id"]),
    payee: payeeIn(details["payee"]),
    rail: textIn(details["rail"])
  }
}
