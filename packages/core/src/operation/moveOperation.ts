import type { Change } from "../engine/Change.ts"
import { moveOf } from "../engine/Machine.ts"
import type { View } from "../engine/View.ts"
import { emit } from "../engine/emit.ts"
import { type Amount, format } from "../money/Amount.ts"
import { type CurrencyTable, decimalsOf } from "../money/Currency.ts"
import { movedAmount } from "./movedAmount.ts"
import { Operation, type OperationKind } from "./Operation.ts"
import { reviewClosed } from "./Review.ts"
import { operationMachine, type OperationTrigger } from "./OperationMachine.ts"
import { goingOn } from "./waits.ts"
import { putRecord } from "../engine/Records.ts"

/** The family of events that tells of the outcome of an operation (spec, Events); null where no event does. */
export const outcomeFamily = {
  DEPOSIT: "deposit",
  CHAIN_PAYOUT: "chain_payout",
  WITHDRAWAL: "withdrawal",
  SWAP: "swap",
  OFF_RAMP: "payout",
  BANK_TRANSFER: "payout",
  REFUND: "payout",
  ON_RAMP: "transfer",
  INTERNAL_TRANSFER: "transfer",
  REVERSAL: null,
  ADJUSTMENT: null
} as const satisfies Readonly<Record<OperationKind, string | null>>

/** The operation after a trigger; a status that has no such move is a bug of the caller and throws: look first (`canMove`). */
export const moved = (
  view: View,
  operation: Operation,
  trigger: OperationTrigger,
  patch: Partial<Operation> = {}
): Operation => {
  const move = moveOf(operationMachine, operation.status, trigger)
  if (move === undefined) throw new Error(`a ${operation.kind} that is ${operation.status} cannot be ${trigger}`)
  // what moves waits for nothing any more
  return goingOn({
    ...operation,
    ...patch,
    status: move.to,
    settledAt: move.to === "SETTLED" ? view.now : operation.settledAt
  })
}

/** Whether a trigger moves an operation from where it stands. */
export const canMove = (operation: Operation, trigger: OperationTrigger): boolean =>
  moveOf(operationMachine, operation.status, trigger) !== undefined

/**
 * What the events of an operation tell (spec, Event data); the amount is the operation's unless another one moved. The tenant's own
 * reference is not in it.
 */
export const operationEventData = (
  operation: Operation,
  currencies: CurrencyTable,
  { currency, units }: Amount = operation.amount
) => ({
  operation_id: operation.id,
  kind: operation.kind,
  status: operation.status,
  amount: format(units, decimalsOf(currencies, currency)),
  currency,
  provider_reference: operation.providerReference,
  tx_hash: operation.txHash
})

const tell = (
  view: View,
  operation: Operation,
  outcome: "settled" | "failed" | "unresolved" | "returned",
  currencies: CurrencyTable,
  amount: Amount = operation.amount
): ReadonlyArray<Change> => {
  const data = operationEventData(operation, currencies, amount)
  switch (operation.kind) {
    case "CHAIN_PAYOUT":
    case "WITHDRAWAL":
    case "SWAP":
      return outcome === "returned"
        ? []
        : [emit(view, `${outcomeFamily[operation.kind]}.${outcome}`, operation.id, data)]
    case "OFF_RAMP":
    case "BANK_TRANSFER":
    case "REFUND":
    case "ON_RAMP":
    case "INTERNAL_TRANSFER":
      return [emit(view, `${outcomeFamily[operation.kind]}.${outcome}`, operation.id, data)]
    case "DEPOSIT":
    case "REVERSAL":
    case "ADJUSTMENT":
      return []
  }
}

/** Puts an operation that came to its outcome, no longer unresolved or in review, and tells of it once. Its legs are the caller's. */
export const concluded = (
  view: View,
  currencies: CurrencyTable,
  operation: Operation,
  trigger: "settled" | "failed" | "rejected" | "returned",
  patch: Partial<Operation> = {}
): { readonly operation: Operation; readonly changes: ReadonlyArray<Change> } => {
  const details = patch.details ?? operation.details
  const reason = details.failure_reason ?? trigger
  const after = moved(view, operation, trigger, {
    ...patch,
    unresolved: false,
    details: reviewClosed({ details }, { by: null, at: view.now, reason })
  })
  const outcome = trigger === "rejected" ? "failed" : trigger
  return {
    operation: after,
    changes: [
      putRecord(Operation, after),
      ...tell(view, after, outcome, currencies, movedAmount(operation, after, outcome))
    ]
  }
}

/**
 * Flags an operation whose outcome is not known. Told once per episode: an operation that is flagged already changes nothing.
 * Its status and what it holds stay.
 */
export const unresolved = (
  view: View,
  currencies: CurrencyTable,
  operation: Operation,
  patch: Partial<Operation> = {}
): { readonly operation: Operation; readonly changes: ReadonlyArray<Change> } => {
  if (operation.unresolved) return { operation, changes: [] }
  const after: Operation = { ...operation, ...patch, unresolved: true }
  return {
    operation: after,
    changes: [putRecord(Operation, after), ...tell(view, after, "unresolved", currencies)]
  }
}
