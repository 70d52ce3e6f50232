import type { StoredPayee } from "../operation/details/TransferDetails.ts"
import type { Operation } from "../operation/Operation.ts"
import type { Payee, TransferOrder } from "../port/FiatProvider.ts"
import { isProvided } from "./Transfer.ts"
import { transferSentAt } from "./transferQueue.ts"

/** A payee as the details of an operation keep it. */
export const payeeDetails = (payee: Payee): StoredPayee => ({
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

/** A payee that the details of an operation keep; null where they keep none. */
export const payeeIn = (stored: StoredPayee | null | undefined): Payee | null =>
  stored == null
    ? null
    : {
        name: stored.name ?? "",
        country: stored.country ?? null,
        holderType: stored.holder_type ?? "INDIVIDUAL",
        iban: stored.iban ?? null,
        accountNumber: stored.account_number ?? null,
        sortCode: stored.sort_code ?? null,
        routingNumber: stored.routing_number ?? null,
        bic: stored.bic ?? null,
        bankName: stored.bank_name ?? null,
        purpose: stored.purpose ?? null
      }

/** Whom a transfer pays; null for one that pays nobody. */
export const payeeOf = ({ details }: Pick<Operation, "details">): Payee | null => payeeIn(details.payee)

/** The currency that the receiver of a transfer gets: that of the amount where nothing else was agreed. */
export const receivedCurrencyOf = ({ amount, details }: Operation): string => details.to_currency ?? amount.currency

/** The order of a transfer as it goes to the provider, the same every time; undefined for an operation that has none. */
export const transferOrderOf = (operation: Operation): TransferOrder | undefined => {
  const { amount, createdAt, details, id, kind } = operation
  if (!isProvided(kind)) return undefined
  const currency = receivedCurrencyOf(operation)
  return {
    reference: id,
    madeAt: createdAt,
    sentAt: transferSentAt(operation) ?? createdAt,
    kind,
    amount,
    toCurrency: currency === amount.currency ? null : currency,
    providerCustomerId: details.provider_customer_id ?? null,
    payee: payeeIn(details.payee),
    rail: details.rail ?? null
  }
}
