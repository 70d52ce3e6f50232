import type { Timestamp } from "../base/Timestamp.ts"
import type { Amount } from "../money/Amount.ts"
import type { Network } from "../money/Network.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { defineRecord } from "../engine/Records.ts"
import type { OperationDetails } from "./OperationDetails.ts"
import type { OperationKind } from "./OperationKind.ts"

export { type OperationKind, operationKinds } from "./OperationKind.ts"

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

/** Something that moved, or is to move, a tenant's balance: one row of the register; of any kind where none is named. */
export interface Operation<K extends OperationKind = OperationKind> {
  readonly id: string
  readonly tenantId: TenantId
  readonly kind: K
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
  readonly details: OperationDetails<K>
  readonly createdAt: Timestamp
  readonly settledAt: Timestamp | null
}

const isOfTransaction = ({ details, kind }: Operation): boolean =>
  kind === "ADJUSTMENT"
    ? details.wallet_arrival !== undefined || details.uncredited_deposit !== undefined
    : kind === "CHAIN_PAYOUT" && details.proven_by !== undefined

/**
 * Operations by their ids. The group of a transaction are those that have booked in suspense what it brought, or took that back: what it brought is
 * told again whenever its block changes. So are the payouts that evidence has settled by it: they say that it is of our own.
 */
export const Operation = defineRecord<Operation>({
  name: "Operation",
  key: ({ id }) => id,
  group: (operation) => (isOfTransaction(operation) ? operation.txHash : null),
  // an ON_RAMP keeps how much of it all its refunds together take
  traits: { sum: ({ details }) => details.refunded }
})

/** Whether an operation is of one of the kinds; its details are then those of that kind. */
export const isKind = <K extends OperationKind>(
  operation: Operation,
  ...kinds: ReadonlyArray<K>
): operation is Operation<K> => kinds.some((kind) => kind === operation.kind)

/** An operation that is of one of the kinds, as its caller has seen to; another is a bug of the caller and throws. */
export const ofKind = <K extends OperationKind>(operation: Operation, ...kinds: ReadonlyArray<K>): Operation<K> => {
  if (!isKind(operation, ...kinds))
    throw new Error(`operation ${operation.id} is a ${operation.kind}, not a ${kinds.join(" or ")}`)
  return operation
}
