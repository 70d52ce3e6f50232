import type { Sender } from "@bursar/core/port/FiatProvider"
import type { Transfer } from "./wire.ts"

/** Who paid in what arrived for a transfer; null where Bridge names no account of theirs. */
export const senderOf = ({ source }: Transfer): Sender | null => {
  const accountNumber = source?.account_number ?? source?.bank_account_number ?? null
  const iban = source?.iban ?? null
  if (source == null || (iban === null && accountNumber === null)) return null
  return {
    name: source.sender_name ?? source.bank_beneficiary_name ?? null,
    iban,
    accountNumber,
    sortCode: source.sort_code ?? null,
    routingNumber: source.bank_routing_number ?? null,
    bic: source.bic ?? null
  }
}
