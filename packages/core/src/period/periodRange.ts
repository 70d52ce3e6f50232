import { Effect } from "effect"
import type { StorageError } from "../engine/StorageError.ts"
import { Journal, type PostingRange } from "../store/Journal.ts"
import type { TenantId } from "../tenant/Tenant.ts"
import { type ClosedPeriod, lastClosed } from "./ClosedPeriod.ts"
import { nextPeriod, type Period, periodEnd, periodStart } from "./Period.ts"

/**
 * The postings of a period. Of a closed one they are fixed. Else they are those that were booked in the month, and those that were
 * booked earlier but not yet when the period before was closed.
 */
export const periodRange = Effect.fn("period.periodRange")(function* (
  tenantId: TenantId,
  period: Period,
  closed: ReadonlyArray<ClosedPeriod>
): Effect.fn.Return<PostingRange, StorageError, Journal> {
  const there = closed.find((one) => one.period === period)
  if (there !== undefined) return there
  const journal = yield* Journal
  const before = lastClosed(closed.filter((one) => one.period < period))
  const done = before?.through ?? 0
  const after =
    before !== undefined && nextPeriod(before.period) === period
      ? done
      : yield* journal.lastBefore(tenantId, periodStart(period), done)
  return { after, through: yield* journal.lastBefore(tenantId, periodEnd(period), after) }
})
