import { keyOfProvider } from "../engine/Job.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { VerificationStatus } from "../port/IdentityProvider.ts"
import { defineRecord } from "../engine/Records.ts"

/** What is known of an identity check. */
export interface CustomerVerification {
  readonly provider: string
  readonly applicantId: string
  readonly status: VerificationStatus
  /** What the person may do; empty unless approved. */
  readonly capabilities: ReadonlyArray<string>
  readonly expiresAt: Timestamp | null
  readonly environment: "production" | "sandbox" | null
  /** When the provider came to it; null until it said anything. */
  readonly decidedAt: Timestamp | null
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

/** Customers by their ids. */
export const Customer = defineRecord<Customer>({ name: "Customer", key: ({ id }) => id })

/** Customers' external identifiers. */
export const CustomerName = defineRecord<CustomerName>({ name: "CustomerName", key: ({ externalId }) => externalId })
