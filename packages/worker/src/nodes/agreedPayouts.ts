import type { ChainError } from "@bursar/core/port/Chain"
import type {
  CountedAccount,
  GuardPlan,
  PayoutsPlan,
  PayoutsRequest,
  TransactionPlanner
} from "@bursar/core/port/TransactionPlanner"
import { Effect, Result } from "effect"

/** Payouts that would be in transactions of an account, whose number is not agreed on. */
interface LeftOut {
  readonly account: string | undefined
  readonly ids: ReadonlyArray<string>
  readonly detail: string
}

/** A plan in which those that it leaves out wait, unless it pays them by another account. */
const withWaiting = (
  { transactions, waiting }: PayoutsPlan,
  leftOut: ReadonlyArray<LeftOut>,
  retry: "soon" | "later"
): PayoutsPlan => {
  const planned = new Set([...transactions.flatMap(({ ids }) => ids), ...waiting.map(({ id }) => id)])
  const details = new Map(leftOut.flatMap(({ detail, ids }) => ids.map((id) => [id, detail] as const)))
  const others = [...details].filter(([id]) => !planned.has(id))
  return {
    transactions,
    waiting: [...waiting, ...others.map(([id, detail]) => ({ id, reason: "node_unreadable" as const, detail, retry }))]
  }
}

/**
 * Plans payouts by accounts whose numbers operators agree on, where others can lend one: an account that is disputed keeps nothing waiting that
 * another can carry.
 */
export const payoutsByAgreed = (
  plan: TransactionPlanner["payouts"],
  agreed: (guard: GuardPlan, accounts: ReadonlyArray<CountedAccount>) => Effect.Effect<GuardPlan, ChainError>
): TransactionPlanner["payouts"] => {
  const split = Effect.fnUntraced(function* (request: PayoutsRequest) {
    const { channels, wallet } = request.accounts
    const { transactions, waiting } = yield* plan(request)
    // transactions of one account share its guard, so each account is asked about once
    const asked = yield* Effect.forEach(
      Map.groupBy(transactions, ({ guard }) => guard),
      ([guard, all]) =>
        Effect.map(Effect.result(agreed(guard, [wallet, ...channels])), (said) => ({ all, guard, said })),
      { concurrency: "unbounded" }
    )
    const leftOut = asked.flatMap(({ all, guard, said }): ReadonlyArray<LeftOut> => {
      if (Result.isSuccess(said)) return []
      const account = guard._tag === "Sequence" ? guard.account : undefined
      return [{ account, ids: all.flatMap(({ ids }) => ids), detail: said.failure.message }]
    })
    const kept = asked.flatMap(({ all, said }) =>
      Result.isSuccess(said) ? all.map((one) => ({ ...one, guard: said.success })) : []
    )
    return { leftOut, plan: { transactions: kept, waiting } satisfies PayoutsPlan }
  })
  return Effect.fnUntraced(function* (request) {
    const { accounts } = request
    const first = yield* split(request)
    const disputed = new Set(first.leftOut.map(({ account }) => account))
    const channels = accounts.channels.filter(({ address }) => !disputed.has(address))
    // without any channel account the wallet would lend its own numbers
    const hasOthers = channels.length > 0 && channels.length < accounts.channels.length
    if (!hasOthers) return withWaiting(first.plan, first.leftOut, "later")
    const second = yield* split({ ...request, accounts: { ...accounts, channels } })
    return withWaiting(second.plan, [...first.leftOut, ...second.leftOut], "soon")
  })
}
