import { ChainError } from "@bursar/core/port/Chain"
import type { PayoutsPlan, TransactionPlanner } from "@bursar/core/port/TransactionPlanner"
import { Effect, Result } from "effect"
import type { SeveralNodes } from "./SeveralNodes.ts"

/** A plan of another node in the place of a node's own: it pays nothing that waits there for more than the network fee. */
const inPlaceOf = (own: PayoutsPlan, other: PayoutsPlan): PayoutsPlan => {
  const poor = new Set(own.waiting.flatMap(({ id, lacksFee }) => (lacksFee === true ? [] : [id])))
  const transactions = other.transactions.filter(({ ids }) => !ids.some((id) => poor.has(id)))
  const planned = new Set(transactions.flatMap(({ ids }) => ids))
  const known = new Set(own.waiting.map(({ id }) => id))
  const waiting = [...own.waiting, ...other.waiting.filter(({ id }) => !known.has(id))]
  return { transactions, waiting: waiting.filter(({ id }) => !planned.has(id)) }
}

/**
 * Plans payouts at one node. Where some wait for nothing but the network fee that it asks, a node of each other operator plans them too, and the
 * least fee counts: one node may make one up, and none of them would ever be built, where nodes that do not agree are noticed.
 */
export const payoutsByLeastFee = ({ ask, elsewhere, network }: SeveralNodes): TransactionPlanner["payouts"] =>
  Effect.fnUntraced(function* (request) {
    const { answer: own, index } = yield* ask(({ planner }) => planner.payouts(request))
    if (!own.waiting.some(({ lacksFee }) => lacksFee === true)) return own
    const doing = "ask a second node what payouts cost"
    const said = yield* elsewhere(index, ({ sender: { planner } }) =>
      Effect.catchTag(
        planner.payouts(request),
        "StorageError",
        ({ message }) => new ChainError({ network, reason: "unreachable", doing, detail: message })
      )
    )
    return said
      .flatMap(({ answer }) => (Result.isSuccess(answer) ? [inPlaceOf(own, answer.success)] : []))
      .reduce((best, one) => (one.transactions.length > best.transactions.length ? one : best), own)
  })
