import { fleetTenantId } from "@bursar/core/grant/Grant"
import { positionKey } from "@bursar/core/reconciliation/Place"
import { alarming, raiseAlarms } from "@bursar/core/reconciliation/raiseAlarms"
import type { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Array as Arr, Clock, Effect } from "effect"
import { apart, unlessStorageFails } from "../queue/apart.ts"
import { submitFenced } from "../watch/submitFenced.ts"
import { alarmRule } from "./alarmRule.ts"
import { readableBreaks } from "./leftOut.ts"
import { logAlarms } from "./record.ts"
import type { Recording } from "./Recording.ts"

/** Marks what is an alarm by now among the breaks that are open of a currency at a place. */
const raise = Effect.fnUntraced(function* (
  recording: Recording,
  open: readonly [ReconciliationBreak, ...ReadonlyArray<ReconciliationBreak>]
) {
  const [{ currency, place }] = open
  const rule = yield* alarmRule(recording, { place, currency, open })
  const due = alarming(open, rule, yield* Clock.currentTimeMillis)
  if (due.every(({ alarmedAt }) => alarmedAt !== null)) return
  yield* logAlarms(yield* submitFenced(recording.fence, fleetTenantId, raiseAlarms(place, currency, rule)))
})

/** Raises the alarms that are due over breaks at some places, whether or not anybody tells what is there. */
export const raiseDueAlarms = Effect.fn("reconcile.raiseDueAlarms")(function* (
  recording: Recording,
  places: ReadonlyArray<string>
) {
  const all = yield* readableBreaks
  const open = all.filter(({ closedAt, place }) => closedAt === null && places.includes(place))
  const positions = Arr.groupBy(open, ({ currency, place }) => positionKey(place, currency))
  for (const some of Object.values(positions)) {
    const [{ currency, place }] = some
    const about = { place, currency }
    yield* apart(about, unlessStorageFails(about, raise(recording, some)))
  }
})
