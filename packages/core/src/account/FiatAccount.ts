import type { Timestamp } from "../base/Timestamp.ts"
import type { Account } from "../ledger/Account.ts"
import { defineRecord } from "../engine/Records.ts"

/** Where a fiat account stands: PENDING → ACTIVE | REJECTED; ACTIVE ↔ SUSPENDED → CLOSED. */
export const fiatAccountStatuses = ["PENDING", "ACTIVE", "REJECTED", "SUSPENDED", "CLOSED"] as const

/** Where a fiat account stands. */
export type FiatAccountStatus = (typeof fiatAccountStatuses)[number]

/** How money reaches an account; null until the provider has told. */
export interface AccountDetails {
  readonly holderName: string | null
  readonly iban: string | null
  readonly accountNumber: string | null
  readonly sortCode: string | null
  readonly bic: string | null
  readonly bankName: string | null
  readonly expiresAt: Timestamp | null
}

/** A customer's account at the fiat provider. What is owed to the customer stands on `account:<id>` of the ledger. */
export interface FiatAccount {
  readonly id: string
  readonly customerId: string
  readonly currency: string
  readonly country: string | null
  readonly status: FiatAccountStatus
  readonly provider: string
  /** As the provider knows the customer; null while the customer is not registered there: until then nothing can be opened. */
  readonly providerCustomerId: string | null
  readonly providerAccountId: string | null
  readonly details: AccountDetails
  /** The provider's id of the newest payment that was booked; null before the first. */
  readonly lastIncoming: string | null
  readonly createdAt: Timestamp
  /** When its status changed or money arrived the last time: what has rested for long is read more seldom. */
  readonly changedAt: Timestamp
}

/** Which accounts of the tenant an IBAN or an account number names, without spaces. */
export interface AccountNumber {
  readonly number: string
  /** One, but for account numbers that two banks have given. */
  readonly accountIds: ReadonlyArray<string>
}

/** A payment that was booked, by the provider's id: a tenant books none twice. `ProviderOrder` has it, too, which is one tenant's among all. */
export interface BookedIncoming {
  /** `<provider's id of the account>|<provider's id of the payment>`. */
  readonly key: string
  readonly operationId: string
}

/** An IBAN or account number as it is looked up: without what is only for people. */
export const compactNumber = (text: string): string => text.replace(/[\s-]/gu, "").toUpperCase()

/** The key of a payment that was booked: by the provider's ids alone, so that it is booked once whichever of our accounts asks. */
export const incomingKey = (providerAccountId: string, id: string): string => `${providerAccountId}|${id}`

/** What names an account of the provider among its orders (`ProviderOrder`): it belongs to one of our accounts, among all tenants. */
export const boundKey = (providerAccountId: string): string => `account|${providerAccountId}`

/** The ledger account of what is owed to a customer on a fiat account. */
export const ledgerAccountOf = (accountId: string): Account => `account:${accountId}`

/** Accounts by their ids. Those of a customer are a group. */
export const FiatAccount = defineRecord<FiatAccount>({
  name: "FiatAccount",
  key: ({ id }) => id,
  group: ({ customerId }) => customerId
})

/** Account numbers by the number. */
export const AccountNumber = defineRecord<AccountNumber>({ name: "AccountNumber", key: ({ number }) => number })

/** Payments that were booked, by the provider's ids. */
export const BookedIncoming = defineRecord<BookedIncoming>({ name: "BookedIncoming", key: ({ key }) => key })
