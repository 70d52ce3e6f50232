import type { DepositEventData, OperationEventData } from "@bursar/api/webhook/EventData"

interface WithData {
  readonly data: { readonly [field: string]: unknown }
}

/**
 * Whether an event tells of a deposit: any `deposit.*`. Its `amount` is a bare decimal string. The data is not held
 * against the contract: a later service may name networks that this version does not know.
 */
export const isDepositEvent = <E extends WithData>(event: E): event is E & { readonly data: DepositEventData } =>
  typeof event.data["deposit_id"] === "string"

/** Whether an event tells of a payout, a withdrawal, a swap or a transfer. Reconcile by `operation_id`. */
export const isOperationEvent = <E extends WithData>(event: E): event is E & { readonly data: OperationEventData } =>
  typeof event.data["operation_id"] === "string" && !isDepositEvent(event)
