import { Queries } from "@bursar/core/store/Queries"
import { sweepAccountKey, SweepAccount } from "@bursar/core/sweep/SweepAccount"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { Effect } from "effect"
import type { Sweeping, Waiting } from "./Sweeping.ts"

/** What waits on each account, which stays together. */
export const byAccount = <A extends Waiting>(waiting: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> => [
  ...Map.groupBy(waiting, ({ account }) => account).values()
]

/** What waits on accounts, in parts of so many accounts. */
export const inParts = (
  accounts: ReadonlyArray<ReadonlyArray<Waiting>>,
  most: number
): ReadonlyArray<ReadonlyArray<Waiting>> =>
  [...Map.groupBy(accounts, (_, at) => Math.floor(at / most)).values()].map((some) => some.flat())

/**
 * How many accounts one transaction sweeps where so many sweeps of theirs in a row were given up: what is wrong with one of them keeps ever fewer
 * others, until it is tried by itself.
 */
const togetherMax = (failures: number): number => (failures === 0 ? Infinity : 4 ** Math.max(0, 3 - failures))

/** What may be swept together, in parts: those are apart of which sweeps were given up. */
export const divided = Effect.fnUntraced(function* (
  { send: { limits, sender } }: Sweeping,
  tenantId: TenantId,
  together: ReadonlyArray<Waiting>
) {
  const accounts = [...Map.groupBy(together, ({ account }) => account)]
  if (accounts.length <= 1) return [{ isApart: false, part: together }]
  const queries = yield* Queries
  const counted = yield* Effect.forEach(
    accounts,
    ([account, waiting]) =>
      Effect.map(queries.record(tenantId, SweepAccount, sweepAccountKey(sender.network, account)), (known) => ({
        waiting,
        most: togetherMax(known?.failures ?? 0)
      })),
    { concurrency: limits.readsAtOnce }
  )
  return [...Map.groupBy(counted, ({ most }) => most)].flatMap(([most, alike]) => {
    const parts = inParts(
      alike.map(({ waiting }) => waiting),
      most
    )
    return parts.map((part) => ({ isApart: most < Infinity, part }))
  })
})
