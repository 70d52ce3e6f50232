import { Result } from "effect"
import type { Command } from "../engine/Command.ts"
import { Refusal } from "../engine/Refusal.ts"
import type { Account } from "../ledger/Account.ts"
import type { Amount } from "../money/Amount.ts"
import { zero } from "../money/Amount.ts"
import type { Operation } from "./Operation.ts"

/** A correction of a float by operators, with where its value stands. */
export interface Adjustment {
  /** Above zero adds to the float, below takes from it. */
  readonly amount: Amount
  /** The account that holds the value against the float. */
  readonly against: Account
  readonly reason: string
}

/**
 * Books an ADJUSTMENT: `against` → `float:available`, or back where the amount is below zero. Refuses nothing at all
 * (`amount_invalid`) and what the float does not have (`insufficient_balance`).
 */
export const adjustFloat = ({ against, amount, reason }: Adjustment): Command<Operation> => ({
  name: "AdjustFloat",
  reads: [
    { _tag: "Balance", account: "float:available", currency: amount.currency },
    { _tag: "Balance", account: against, currency: amount.currency }
  ],
  decide: (view) => {
    const { currency } = amount
    const units = amount.units < 0n ? -amount.units : amount.units
    if (units === 0n)
      return Result.fail(new Refusal({ code: "amount_invalid", message: "An adjustment must move something." }))
    const adds = amount.units > 0n
    if (!adds && view.balance("float:available", currency).units < units) {
      return Result.fail(new Refusal({ code: "insufficient_balance", message: "The float has less than that." }))
    }
    const operation: Operation = {
      id: view.newId(),
      tenantId: view.tenant.id,
      kind: "ADJUSTMENT",
      status: "SETTLED",
      amount,
      customerFee: zero(currency),
      toAmount: null,
      toAmountQuoted: null,
      customerId: null,
      actsFor: "TENANT",
      network: null,
      provider: null,
      providerReference: null,
      partnerReference: null,
      networkFee: null,
      txHash: null,
      unresolved: false,
      details: { reason },
      createdAt: view.now,
      settledAt: view.now
    }
    const leg = { currency, units, what: "adjustment" } as const
    return Result.succeed({
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
      ],
      reply: operation
    })
  }
})
