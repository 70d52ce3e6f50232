import type { Json } from "../base/Json.ts"
import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { defineRecord } from "../engine/Records.ts"

/** What an operation is; the kinds of the register. */
export const operationKinds = [
  "DEPOSIT",
  "CHAIN_PAYOUT",
  "WITHDRAWAL",
  "SWAP",
  "ON_RAMP",
  "OFF_RAMP",
  "BANK_TRANSFER",
  "INTERNAL_TRANSFER",
  "REFUND",
  "REVERSAL",
  "ADJUSTMENT"
] as const

/** What an operation is. */
export type OperationKind = (typeof operationKinds)[number]

/** Where an operation stands. FAILED is final, always. */
export const operationStatuses = [
  "ACCEPTED",
  "IN_REVIEW",
  "AWAITING_FUNDS",
  "PROCESSING",
  "SENT",
  "SETTLED",
  "FAILED",
  "RETURNED"
] as const

/** Where an operation stands. */
export type OperationStatus = (typeof operationStatuses)[number]

/** On whose behalf an operation was made. */
export type ActsFor = "TENANT" | "CUSTOMER"

/** Something that moved, or is to move, a tenant's balance: one row of the register. */
export interface Operation {
  readonly id: string
  readonly tenantId: TenantId
  readonly kind: OperationKind
  readonly status: OperationStatus
  readonly amount: Amount
  readonly customerFee: Amount
  readonly toAmount: Amount | null
  readonly toAmountQuoted: Amount | null
  readonly customerId: string | null
  readonly actsFor: ActsFor
  readonly network: Network | null
  readonly provider: string | null
  readonly providerReference: string | null
  readonly partnerReference: string | null
  readonly networkFee: Amount | null
  readonly txHash: string | null
  /** The outcome is not known yet; never to be read as settled or failed. */
  readonly unresolved: boolean
  /** What only its own kind has, such as the deposit that a DEPOSIT credits. Amounts in it are decimal strings. */
  readonly details: { readonly [key: string]: Json }
  readonly createdAt: Timestamp
  readonly settledAt: Timestamp | null
}

/** Operations by their ids. */
export const Operation = defineRecord<Operation>({ name: "Operation", key: ({ id }) => id })
