import { Result } from "effect"
import type { Change } from "../engine/Change.ts"
import type { Command } from "../engine/Command.ts"
import type { Read } from "../engine/Read.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { View } from "../engine/View.ts"
import type { Account } from "../ledger/Account.ts"
import type { Amount } from "../money/Amount.ts"
import { newOperation } from "./newOperation.ts"
import type { Operation } from "./Operation.ts"

/** A correction of a float by operators, with where its value stands. */
export interface Adjustment {
  /** Above zero adds to the float, below takes from it. */
  readonly amount: Amount
  /** The account that holds the value against the float. */
  readonly against: Account
  readonly reason: string
  /** The operator who made it, and the one who approved it; null where nobody had to, absent where no person made it. */
  readonly by?: { readonly made: string; readonly approved: string | null }
}

/** What booking an adjustment reads. */
export const adjustmentReads = ({ against, amount }: Pick<Adjustment, "against" | "amount">): ReadonlyArray<Read> => [
  { _tag: "Balance", account: "float:available", currency: amount.currency },
  { _tag: "Balance", account: against, currency: amount.currency }
]

/** Books an ADJUSTMENT as `adjustFloat` does. */
export const bookAdjustment = (
  view: View,
  { against, amount, by, reason }: Adjustment
): Result.Result<{ readonly operation: Operation; readonly changes: ReadonlyArray<Change> }, Refusal> => {
  const { currency } = amount
  const units = amount.units < 0n ? -amount.units : amount.units
  if (units === 0n)
    return Result.fail(new Refusal({ code: "amount_invalid", message: "An adjustment must move something." }))
  const adds = amount.units > 0n
  if (!adds && view.balance("float:available", currency).units < units) {
    return Result.fail(new Refusal({ code: "insufficient_balance", message: "The float has less than that." }))
  }
  const details = by === undefined ? { reason } : { reason, made_by: by.made, approved_by: by.approved }
  const operation = newOperation(view, { kind: "ADJUSTMENT", status: "SETTLED", amount, details, settledAt: view.now })
  const leg = { currency, units, what: "adjustment" } as const
  return Result.succeed({
    operation,
    changes: [
      { _tag: "OperationPut", operation },
      {
        _tag: "Posted",
        operationId: operation.id,
        legs: [
          { ...leg, account: against, direction: adds ? "DEBIT" : "CREDIT" },
          { ...leg, account: "float:available", direction: adds ? "CREDIT" : "DEBIT" }
        ]
      }
    ]
  })
}

/**
 * Books an ADJUSTMENT: `against` → `float:available`, or back where the amount is below zero. Refuses nothing at all
 * (`amount_invalid`) and what the float does not have (`insufficient_balance`).
 */
export const adjustFloat = (adjustment: Adjustment): Command<Operation> => ({
  name: "AdjustFloat",
  reads: adjustmentReads(adjustment),
  decide: (view) =>
    Result.map(bookAdjustment(view, adjustment), ({ changes, operation }) => ({ changes, reply: operation }))
})
