import { storable, whereStorable } from "../base/storable.ts"
import type { Operation } from "../operation/Operation.ts"
import type { OperationDetails } from "../operation/OperationDetails.ts"
import type { Payee, Sender } from "../port/FiatProvider.ts"
import { payeeDetails, payeeIn } from "./transferOrder.ts"

/** A sender as one who is paid. */
export const payeeOfSender = ({ accountNumber, bic, iban, name, routingNumber, sortCode }: Sender): Payee => ({
  name: storable(name ?? ""),
  country: whereStorable(iban)?.slice(0, 2) ?? null,
  holderType: "INDIVIDUAL",
  iban: whereStorable(iban),
  accountNumber: whereStorable(accountNumber),
  sortCode: whereStorable(sortCode),
  routingNumber: whereStorable(routingNumber),
  bic: whereStorable(bic),
  bankName: null,
  purpose: null
})

/** Whether an account can be paid to: by its IBAN, or its number and what names the bank. */
const isPayable = ({ accountNumber, bic, iban, routingNumber, sortCode }: Payee): boolean =>
  iban !== null || (accountNumber !== null && (sortCode ?? routingNumber ?? bic) !== null)

/**
 * Who paid in what arrived, as the details of its ON_RAMP keep it: the first that was told, and only an account that can be paid
 * to. A refund goes there, so a provider that says otherwise later does not change it.
 */
export const senderDetails = (
  { details }: Operation,
  sender: Sender | null
): Pick<OperationDetails<"ON_RAMP">, "sender"> => {
  const payee = sender === null || details.sender !== undefined ? undefined : payeeOfSender(sender)
  return payee !== undefined && isPayable(payee) ? { sender: payeeDetails(payee) } : {}
}

/** Who paid in what arrived, as one who is paid; null where the provider never told. */
export const senderOf = ({ details }: Operation): Payee | null => payeeIn(details.sender)
