import type { OperatorAccount, OperatorAccountEntryList, OperatorCustomer } from "@bursar/api/operator/OperatorCustomer"
import type { FiatAccount } from "@bursar/core/account/FiatAccount"
import { toIso, type Timestamp } from "@bursar/core/base/Timestamp"
import { type Customer, statusAt } from "@bursar/core/customer/Customer"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import type { AccountLine } from "@bursar/core/store/Queries"
import { isoOrNull } from "../../../wire/moment.ts"
import { toldMoney } from "../../../wire/money.ts"
import { entryToWire, toWire as partnerAccount } from "../../accounts/toWire.ts"
import { toWire as partnerCustomer } from "../../customers/toWire.ts"

/** A customer as operators see it at a moment. */
export const customerToWire = (customer: Customer, now: Timestamp): OperatorCustomer => {
  const { createdAt, displayName, registration, verification } = customer
  return {
    ...partnerCustomer(customer),
    display_name: displayName,
    verification: {
      status: statusAt(verification, now),
      provider: verification?.provider ?? null,
      applicant_id: verification?.applicantId ?? null,
      capabilities: verification?.capabilities ?? [],
      environment: verification?.environment ?? null,
      decided_at: isoOrNull(verification?.decidedAt),
      expires_at: isoOrNull(verification?.expiresAt)
    },
    provider: registration?.provider ?? null,
    provider_customer_id: registration?.providerCustomerId ?? null,
    created_at: toIso(createdAt)
  }
}

/** A customer's account with what is owed on it. */
export const accountToWire = (account: FiatAccount, units: bigint, currencies: CurrencyTable): OperatorAccount => ({
  ...partnerAccount(account),
  customer_id: account.customerId,
  provider: account.provider,
  provider_account_id: account.providerAccountId,
  balance: toldMoney(currencies, units, account.currency),
  created_at: toIso(account.createdAt),
  changed_at: toIso(account.changedAt)
})

/** A line of an account with the operation that made it. */
export const lineToWire = (
  line: AccountLine,
  currencies: CurrencyTable
): (typeof OperatorAccountEntryList.Type.entries)[number] => ({
  ...entryToWire(line, currencies, toldMoney),
  balance: toldMoney(currencies, line.leg.balance, line.leg.currency),
  operation_id: line.operation?.id ?? null
})
