import { ledgerAccountOf } from "../../account/FiatAccount.ts"
import type { Operation, OperationKind } from "../../operation/Operation.ts"
import { incomingLegs, type LegContext } from "./incomingLegs.ts"
import { onRampLegs, swapLegs } from "./conversionLegs.ts"
import { outgoingLegs } from "./outgoingLegs.ts"
import { entry, type RequiredLegs } from "./RequiredLine.ts"

/** An INTERNAL_TRANSFER moves its amount from `float:available` to `account:<id>`, once it is SETTLED. */
const internalLegs = ({ amount, details, status }: Operation): RequiredLegs => ({
  lines:
    status === "SETTLED"
      ? entry("float:available", ledgerAccountOf(String(details.account_id)), amount, "principal")
      : []
})

const byKind: {
  readonly [K in OperationKind]: (operation: Operation, context: LegContext) => RequiredLegs
} = {
  CHAIN_PAYOUT: outgoingLegs,
  WITHDRAWAL: outgoingLegs,
  OFF_RAMP: outgoingLegs,
  BANK_TRANSFER: outgoingLegs,
  REFUND: outgoingLegs,
  SWAP: swapLegs,
  ON_RAMP: onRampLegs,
  INTERNAL_TRANSFER: internalLegs,
  DEPOSIT: incomingLegs,
  REVERSAL: incomingLegs,
  ADJUSTMENT: incomingLegs
}

/**
 * The legs that an operation must have, by its kind and where it stands: the specification of the ledger. What has left a place
 * without having been booked in there stands on `suspense:<place>`; the two together are what is named here.
 */
export const requiredLegs = (operation: Operation, context: LegContext): RequiredLegs =>
  byKind[operation.kind](operation, context)
