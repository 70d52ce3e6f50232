import { Queries } from "@bursar/core/store/Queries"
import type { RegisterPosition } from "@bursar/core/store/Queries"
import type { Sweep, SweptDeposit } from "@bursar/core/sweep/Sweep"
import { sweepableKey } from "@bursar/core/sweep/SweepableDeposit"
import type { TenantId } from "@bursar/core/tenant/Tenant"
import { OutboundTransaction } from "@bursar/core/transaction/OutboundTransaction"
import { Effect } from "effect"

/** How many sweeps of an address are read at once. */
const pageRows = 100

/** The other sweeps of an address, newest first. */
const othersOf = Effect.fnUntraced(function* (tenantId: TenantId, { addressId, id }: Sweep) {
  const queries = yield* Queries
  const others: Array<Sweep> = []
  let after: RegisterPosition | undefined
  do {
    const page: ReadonlyArray<Sweep> = yield* queries.sweeps(tenantId, { addressId, after, limit: pageRows })
    others.push(...page.filter((one) => one.id !== id))
    after = page.length < pageRows ? undefined : page.at(-1)
  } while (after !== undefined)
  return others
})

/**
 * The transactions of other sweeps that may have moved deposits which somebody has taken from a sweep: of those that were given up before and are not over,
 * or have moved them after all and are not counted yet.
 */
export const mayHaveMovedBefore = Effect.fn("sweep.mayHaveMovedBefore")(function* (
  tenantId: TenantId,
  sweep: Sweep,
  taken: ReadonlyArray<SweptDeposit>
) {
  if (taken.length === 0) return []
  const queries = yield* Queries
  const keys = new Set(taken.map(sweepableKey))
  const others = (yield* othersOf(tenantId, sweep)).filter(({ deposits }) =>
    deposits.some((deposit) => keys.has(sweepableKey(deposit)))
  )
  const found: Array<OutboundTransaction> = []
  for (const { closedAt, sweepTransactionId } of others) {
    if (sweepTransactionId === null) continue
    const transaction = yield* queries.record(tenantId, OutboundTransaction, sweepTransactionId)
    if (transaction === undefined) continue
    if (transaction.phase !== "FINAL" || (transaction.outcome === "done" && closedAt === null)) found.push(transaction)
  }
  return found
})
