import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { Operation } from "@bursar/core/operation/Operation"
import type { FiatProvider, Payee, Sender, TransferOrder, TransferState } from "@bursar/core/port/FiatProvider"
import { amountText, endOf } from "../calls/facts.ts"
import type { Calling } from "../calls/noteCall.ts"

/** A transfer with the provider that it names: to be sent for the `first` time, or asked about by an id of the provider's, or ours (null). */
interface Transferring {
  readonly fiat: FiatProvider["Service"]
  readonly operation: Operation
  readonly order: TransferOrder
  readonly first: boolean
  readonly by: string | null
  readonly currencies: CurrencyTable
}

const accountOf = (holder: Payee | Sender | null) => endOf(holder?.iban ?? holder?.accountNumber)

/** Who is named, as the order, the details of an operation or the provider has it. */
interface Named {
  readonly name?: string | null | undefined
  readonly iban?: string | null | undefined
  readonly accountNumber?: string | null | undefined
  readonly purpose?: string | null | undefined
}

/** What names a person or an account: all of it, and each part of the name. */
const personalOf = ({ accountNumber, iban, name, purpose }: Named): ReadonlyArray<string | null> => [
  name ?? null,
  ...(name?.split(/[^\p{L}\p{N}]+/u) ?? []),
  iban ?? null,
  accountNumber ?? null,
  purpose ?? null
]

/** The call that sends a transfer, or asks what became of it. */
export const transferCall = ({
  by,
  currencies,
  fiat,
  first,
  operation,
  order
}: Transferring): Calling<TransferState> => {
  const { amount, kind, payee, providerCustomerId, rail, reference, toCurrency } = order
  return {
    operation,
    name: first ? "send" : "transfer",
    call: first ? fiat.send(order) : fiat.transfer(order, by),
    asked: first
      ? {
          reference,
          kind,
          amount: amountText(amount, currencies),
          to_currency: toCurrency,
          rail,
          provider_customer: providerCustomerId,
          payee_country: payee?.country,
          payee_account: accountOf(payee)
        }
      : { reference, provider_reference: by },
    told: ({ providerReference, reason, received, returned, sender, status }) => ({
      status,
      provider_reference: providerReference,
      received: amountText(received, currencies),
      returned: amountText(returned, currencies),
      sender_account: accountOf(sender),
      reason
    }),
    personal: (state) => {
      const { account_number: accountNumber, ...known } = operation.details.sender ?? {}
      return [payee ?? {}, { ...known, accountNumber }, state?.sender ?? {}].flatMap(personalOf)
    }
  }
}
