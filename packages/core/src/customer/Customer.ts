import { keyOfProvider } from "../engine/Job.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { VerificationStatus } from "../port/IdentityProvider.ts"
import { defineRecord } from "../engine/Records.ts"

/** Which identity check, and whose. */
export interface NamedCheck {
  readonly provider: string
  readonly applicantId: string
}

/** What is known of an identity check. */
export interface CustomerVerification extends NamedCheck {
  readonly status: VerificationStatus
  /** What the person may do; empty unless approved. */
  readonly capabilities: ReadonlyArray<string>
  readonly expiresAt: Timestamp | null
  readonly environment: "production" | "sandbox" | null
  /** When the provider came to it; null until it said anything. */
  readonly decidedAt: Timestamp | null
  /** Whether `decidedAt` is only when the state was seen, because the provider does not date it. */
  readonly isUndated?: true
  /** The date of the latest state that the provider dated, before this one, which it does not date; not there where there was none. */
  readonly verdictAt?: Timestamp
  /** The check that is open at another provider while this one is an approval that counts. It takes the place of this one once it is decided. */
  readonly next?: NamedCheck
}

/** By which id the payout provider knows a person. */
export interface CustomerRegistration {
  readonly provider: string
  readonly providerCustomerId: string
}

/** An end user of a tenant. What proves who the person is stands with the providers, never here. */
export interface Customer {
  readonly id: string
  /** The tenant's own identifier, given once. */
  readonly externalId: string
  readonly isBusiness: boolean
  readonly displayName: string | null
  readonly country: string | null
  /** Null until a check was opened. */
  readonly verification: CustomerVerification | null
  /** Null until the customer was registered with the payout provider. */
  readonly registration: CustomerRegistration | null
  readonly createdAt: Timestamp
}

/** The claim of an external identifier, by that identifier. */
export interface CustomerName {
  readonly externalId: string
  readonly customerId: string
}

/** What each kind of use needs an identity check to grant. */
export const capabilityFor = {
  account: "fiat_accounts",
  transfer: "payouts",
  swap: "swaps"
} as const

/** The queue in which identity checks are read again. */
export const verificationQueue = "verification"

/** The key of a customer's check in its queue: it begins with the provider's id of the applicant. */
export const verificationKey = (applicantId: string, customerId: string): string =>
  keyOfProvider(applicantId, customerId)

/** Where a check stands at a moment: an approval whose time is over is none any more. */
export const statusAt = (verification: CustomerVerification | null, now: Timestamp): VerificationStatus => {
  if (verification === null) return "NOT_STARTED"
  const over = verification.expiresAt !== null && verification.expiresAt <= now
  return verification.status === "APPROVED" && over ? "EXPIRED" : verification.status
}

/** Whether a check is an approval that counts at a moment and grants anything. */
export const grantsAny = (
  verification: CustomerVerification | null,
  now: Timestamp
): verification is CustomerVerification =>
  statusAt(verification, now) === "APPROVED" && verification !== null && verification.capabilities.length > 0

/** Whether a check is an approval that counts at a moment and grants all that anything needs: another check could grant no more. */
export const grantsAll = (
  verification: CustomerVerification | null,
  now: Timestamp
): verification is CustomerVerification =>
  grantsAny(verification, now) &&
  Object.values(capabilityFor).every((capability) => verification.capabilities.includes(capability))

/** The check that is read again under a key, if it is one of the customer. */
export const checkOfKey = ({ id, verification }: Customer, key: string): NamedCheck | undefined =>
  verification === null
    ? undefined
    : [verification, ...(verification.next === undefined ? [] : [verification.next])].find(
        ({ applicantId }) => verificationKey(applicantId, id) === key
      )

/** Customers by their ids. */
export const Customer = defineRecord<Customer>({ name: "Customer", key: ({ id }) => id })

/** Customers' external identifiers. */
export const CustomerName = defineRecord<CustomerName>({ name: "CustomerName", key: ({ externalId }) => externalId })
