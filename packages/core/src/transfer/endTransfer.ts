import { countUsage } from "../limit/limitedUsage.ts"
import { concluded } from "../operation/moveOperation.ts"
import type { Operation } from "../operation/Operation.ts"
import { givenBack } from "./refund.ts"
import type { Decided, TransferCase } from "./transferCase.ts"
import { endedPostings } from "./transferLegs.ts"

/**
 * Ends a transfer before any of it was paid out: what it held is free again, and what a refund would have paid back can be
 * refunded again; it counts in no limit any more. Whoever ends one comes through here. The command reads `sourceReads`,
 * `transferReads` and `transferOutcomeReads`.
 */
export const endTransfer = (
  { currencies, operation, view }: TransferCase,
  trigger: "failed" | "rejected",
  patch: Partial<Operation>
): Decided => {
  const { changes, operation: after } = concluded(view, currencies, operation, trigger, patch)
  return {
    operation: after,
    changes: [
      ...changes,
      ...endedPostings(after),
      ...givenBack(view, after, after.amount.units),
      ...countUsage(view, [operation], -1n)
    ]
  }
}
