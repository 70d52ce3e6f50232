import type { ChainError } from "@bursar/core/port/Chain"
import type {
  CountedAccount,
  GuardPlan,
  PayoutsPlan,
  PayoutsRequest,
  TransactionPlanner
} from "@bursar/core/port/TransactionPlanner"
import type { StorageError } from "@bursar/core/engine/StorageError"
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
  const bySome = Effect.fnUntraced(function* (
    request: PayoutsRequest,
    leftOutBefore: ReadonlyArray<LeftOut>
  ): Effect.fn.Return<PayoutsPlan, ChainError | StorageError> {
    const { accounts } = request
    const { leftOut, plan: planned } = yield* split(request)
    const all = [...leftOutBefore, ...leftOut]
    const disputed = new Set(leftOut.map(({ account }) => account))
    const channels = accounts.channels.filter(({ address }) => !disputed.has(address))
    // without any channel account the wallet would lend its own numbers
    if (channels.length === 0) return withWaiting(planned, all, "later")
    if (channels.length === accounts.channels.length) return withWaiting(planned, all, "soon")
    return yield* bySome({ ...request, accounts: { ...accounts, channels } }, all)
  })
  // each try leaves an account out, so there are no more of them than accounts
  return (request) => bySome(request, [])
}
