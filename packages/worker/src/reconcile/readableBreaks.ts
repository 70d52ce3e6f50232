import { fleetTenantId } from "@bursar/core/grant/Grant"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"
import { tellLasting } from "../queue/apart.ts"

/**
 * All breaks, but those that somebody has made unreadable in the database: each keeps back only what is of its own currency and place, and is told of
 * (`reconciliation.break_unreadable`), when it is found and once an hour.
 */
export const readableBreaks = Effect.gen(function* () {
  const { readable } = yield* Queries
  const { records, unreadable } = yield* readable(fleetTenantId, ReconciliationBreak)
  for (const { problem, row } of unreadable)
    yield* tellLasting(
      { row },
      problem,
      Effect.annotateLogs(Effect.logError("reconciliation.break_unreadable"), { row, reason: problem })
    )
  return records
})
