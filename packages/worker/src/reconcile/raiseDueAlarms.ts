import { fleetTenantId } from "@bursar/core/grant/Grant"
import { positionKey } from "@bursar/core/reconciliation/Place"
import { alarming, raiseAlarms } from "@bursar/core/reconciliation/raiseAlarms"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { Array as Arr, Clock, Effect } from "effect"
import { submitFenced } from "../watch/submitFenced.ts"
import { alarmRuleOf } from "./ReconcileLimits.ts"
import { logAlarms } from "./record.ts"
import type { Recording } from "./Recording.ts"
import { tellAlarms } from "./tellAlarms.ts"

/** Those that are open of a currency at a place, with what is an alarm by now marked. */
const raised = Effect.fnUntraced(function* (
  { fence, limits }: Recording,
  open: readonly [ReconciliationBreak, ...ReadonlyArray<ReconciliationBreak>]
) {
  const [{ currency, place }] = open
  const rule = alarmRuleOf(limits, currency)
  const due = alarming(open, rule, yield* Clock.currentTimeMillis)
  if (due.every(({ alarmedAt }) => alarmedAt !== null)) return open
  const found = yield* submitFenced(fence, fleetTenantId, raiseAlarms(place, currency, rule))
  yield* logAlarms(found)
  return found.open
})

/** For how long after its break has closed an alarm is told that nobody has taken: what it has stopped stands. One of long ago is no news. */
const closedToldMs = 7 * 24 * 60 * 60_000

/**
 * Raises the alarms that are due over breaks at some places, whether or not anybody tells what is there, and tells the operators' URL of
 * those that it has not taken, also of those whose breaks have closed meanwhile.
 */
export const raiseDueAlarms = Effect.fn("reconcile.raiseDueAlarms")(function* (
  recording: Recording,
  places: ReadonlyArray<string>
) {
  const all = yield* Effect.flatMap(Queries, ({ records }) => records(fleetTenantId, ReconciliationBreak))
  const now = yield* Clock.currentTimeMillis
  const here = all.filter(({ place }) => places.includes(place))
  const open = here.filter(({ closedAt }) => closedAt === null)
  const closed = here.filter(({ closedAt }) => closedAt !== null && now - closedAt < closedToldMs)
  const positions = Arr.groupBy(open, ({ currency, place }) => positionKey(place, currency))
  const marked = yield* Effect.forEach(Object.values(positions), (some) => raised(recording, some))
  yield* tellAlarms(recording, [...marked.flat(), ...closed])
})
