import type { ApiError } from "@bursar/api/errors/ApiError"
import type { RecordDefinition } from "@bursar/core/engine/Records"
import { fleetTenantId } from "@bursar/core/grant/Grant"
import { logUnreadable } from "@bursar/core/reconciliation/logUnreadable"
import type { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"
import { orUnavailable } from "./refusals.ts"

/**
 * Records of the fleet, of one group or all of a kind, answering for the storage where it fails. One that cannot be read, for somebody has changed its row,
 * is told of (`reconciliation.row_unreadable`), and hides no others from operators.
 */
export const readableRecords = Effect.fnUntraced(function* <A, K>(
  queries: Queries["Service"],
  of: RecordDefinition<A, K>,
  group?: string
): Effect.fn.Return<ReadonlyArray<A>, ApiError> {
  const { records, unreadable } = yield* orUnavailable(queries.readable(fleetTenantId, of, group))
  yield* Effect.forEach(unreadable, logUnreadable, { discard: true })
  return records
})
