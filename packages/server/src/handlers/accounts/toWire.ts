import type { Account, AccountEntry } from "@bursar/api/wire/Account"
import type { FiatAccount } from "@bursar/core/account/FiatAccount"
import { toIso } from "@bursar/core/base/Timestamp"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { AccountLine } from "@bursar/core/store/Queries"
import { isoOrNull } from "../../wire/moment.ts"
import { money } from "../../wire/money.ts"

/** A fiat account as partners see it. */
export const toWire = ({ currency, details, id, status }: FiatAccount): Account => ({
  id,
  status,
  currency,
  account_holder_name: details.holderName,
  iban: details.iban,
  account_number: details.accountNumber,
  sort_code: details.sortCode,
  bic: details.bic,
  bank_name: details.bankName,
  expires_at: isoOrNull(details.expiresAt)
})

/** What a line is for: the words of the payment that arrived, else the kind of the operation and its reference. */
const descriptionOf = ({ leg, operation }: AccountLine): string => {
  if (operation === undefined) return leg.what
  const told = operation.details.description
  if (told != null && told !== "") return told
  const { kind, partnerReference } = operation
  return partnerReference === null ? kind : `${kind} ${partnerReference}`
}

/** A line of an account, with its amount written in a way. Lines are numbered from 1 without a gap. */
export const entryToWire = (line: AccountLine, currencies: CurrencyTable, write = money): AccountEntry => ({
  id: line.leg.version,
  direction: line.leg.direction,
  amount: write(currencies, line.leg.units, line.leg.currency),
  description: descriptionOf(line),
  posted_at: toIso(line.leg.postedAt)
})
