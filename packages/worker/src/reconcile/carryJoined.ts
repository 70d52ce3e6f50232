import { fleetTenantId } from "@bursar/core/grant/Grant"
import { carryBreaks } from "@bursar/core/reconciliation/carryBreaks"
import { positionKey, providerPlace } from "@bursar/core/reconciliation/Place"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"
import type { Keeper } from "./observeProvider.ts"
import { joinedTo, type Pool } from "./pools.ts"
import type { Recording } from "./Recording.ts"

/**
 * Counts what is open of a currency among the breaks of the holding that it has joined at a keeper, before that is looked at: else the same loss
 * would be found once more, and what somebody has explained would be an alarm.
 */
export const carryJoined = Effect.fnUntraced(function* (
  { fence }: Recording,
  { kind, name }: Keeper,
  pools: ReadonlyArray<Pool>
) {
  const { records } = yield* Queries
  const place = providerPlace(kind, name).name
  for (const joined of pools.flatMap(joinedTo)) {
    const open = yield* records(fleetTenantId, ReconciliationBreak, positionKey(place, joined.currency))
    if (open.length > 0) yield* submitFenced(fence, fleetTenantId, carryBreaks({ place, ...joined }))
  }
})
