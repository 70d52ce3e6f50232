import { fleetTenantId } from "@bursar/core/grant/Grant"
import { carryBreaks, type Joined } from "@bursar/core/reconciliation/carryBreaks"
import { positionKey, providerPlace } from "@bursar/core/reconciliation/Place"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"
import type { Finding } from "./Finding.ts"
import type { Keeper } from "./observeProvider.ts"
import { joinedTo, type Pool } from "./pools.ts"
import type { Recording } from "./Recording.ts"

const carryAt = Effect.fnUntraced(function* ({ fence }: Recording, all: ReadonlyArray<Joined>) {
  const { records } = yield* Queries
  for (const joined of all) {
    const open = yield* records(fleetTenantId, ReconciliationBreak, positionKey(joined.place, joined.currency))
    if (open.length > 0) yield* submitFenced(fence, fleetTenantId, carryBreaks(joined))
  }
})

/** Counts what is open of a currency among the breaks of the holding that it has joined at a keeper, before its statement is compared. */
export const carryJoined = (recording: Recording, { kind, name }: Keeper, pools: ReadonlyArray<Pool>) => {
  const place = providerPlace(kind, name).name
  return carryAt(
    recording,
    pools.flatMap(joinedTo).map((joined) => ({ place, ...joined }))
  )
}

/**
 * The same for what a look has found, before it is judged: else the same loss would be found once more, and what somebody has explained would be an
 * alarm. Where it fails, nothing is found, whatever became of the statement before.
 */
export const carryFound = (recording: Recording, findings: ReadonlyArray<Finding>) =>
  carryAt(
    recording,
    findings.flatMap(({ joined = [], place }) => joined.map((one) => ({ place: place.name, ...one })))
  )
