import type { Change } from "../engine/Change.ts"
import type { View } from "../engine/View.ts"
import { countUsage } from "../limit/limitedUsage.ts"
import type { CurrencyTable } from "../money/Currency.ts"
import { unresolved } from "../operation/moveOperation.ts"
import { Operation } from "../operation/Operation.ts"
import { isOver } from "../operation/OperationMachine.ts"
import { failPayoutOf } from "./endPayout.ts"
import { Payout } from "./Payout.ts"
import type { PayoutFailure } from "./payoutDetails.ts"
import { operationsOf, type OutboundTransaction } from "../transaction/OutboundTransaction.ts"

/** A payout with its operation. */
export interface OpenPayout {
  readonly operation: Operation
  readonly payout: Payout
}

/** The payouts of an outbound transaction that are still in it and not over. */
export const openPayouts = (view: View, transaction: OutboundTransaction): ReadonlyArray<OpenPayout> =>
  operationsOf(transaction).flatMap((id) => {
    const [operation, payout] = [view.get(Operation, id), view.get(Payout, id)]
    return operation === undefined || payout?.transactionId !== transaction.id || isOver(operation.status)
      ? []
      : [{ operation, payout }]
  })

/** Flags the payouts of an outbound transaction unresolved: it is not known what becomes of it. */
export const flagOpen = (
  view: View,
  transaction: OutboundTransaction,
  currencies: CurrencyTable
): ReadonlyArray<Change> =>
  openPayouts(view, transaction).flatMap(({ operation }) => unresolved(view, currencies, operation).changes)

/** Fails some payouts of an outbound transaction, each for its reason, and gives back what they used of the limits. */
export const failOpen = (
  view: View,
  currencies: CurrencyTable,
  pairs: ReadonlyArray<OpenPayout>,
  reasonOf: (pair: OpenPayout) => PayoutFailure,
  patch: Partial<Operation> = {}
): ReadonlyArray<Change> => [
  ...pairs.flatMap((pair) => failPayoutOf(view, currencies, pair, reasonOf(pair), patch)),
  ...countUsage(
    view,
    pairs.map(({ operation }) => operation),
    -1n
  )
]

/** Why a payout of an outbound transaction fails: for this reason, unless an operator wanted it not to be paid. */
export const cancelledOr =
  (transaction: OutboundTransaction, reason: PayoutFailure): ((pair: OpenPayout) => PayoutFailure) =>
  ({ payout }) =>
    transaction.cancelled.includes(payout.operationId) || payout.cancelledBy !== null ? "cancelled_by_operator" : reason
