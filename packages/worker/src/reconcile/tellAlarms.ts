import { fleetTenantId } from "@bursar/core/grant/Grant"
import { amountInWords } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { toIso } from "@bursar/core/base/Timestamp"
import { noteTold } from "@bursar/core/reconciliation/noteTold"
import type { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Clock, Effect } from "effect"
import { apart, unlessStorageFails } from "../queue/apart.ts"
import { submitFenced } from "../watch/submitFenced.ts"
import { readableBreaks } from "./leftOut.ts"
import { alarmNotTold, alarmPost } from "./postAlarm.ts"
import type { Recording } from "./Recording.ts"

const bodyOf = (currencies: CurrencyTable, one: ReconciliationBreak): string =>
  JSON.stringify({
    event: "reconciliation.alarm",
    break: one.id,
    place: one.place,
    currency: one.currency,
    difference: amountInWords(currencies, one.units, one.currency),
    since: toIso(one.since),
    closed: one.closedAt === null ? null : toIso(one.closedAt),
    about: one.about === null ? null : { kind: one.about.kind, id: one.about.id },
    candidates: one.candidates.map(({ id, kind }) => ({ kind, id }))
  })

/** For how long after its break has closed an alarm is told that nobody has taken: what it has stopped stands. One of long ago is no news. */
const closedToldMs = 7 * 24 * 60 * 60_000

/** The alarms that the operators' URL has not taken, also of breaks that have closed meanwhile. */
const untold = Effect.fnUntraced(function* () {
  const all = yield* readableBreaks
  const since = (yield* Clock.currentTimeMillis) - closedToldMs
  return all.filter(
    ({ alarmedAt, closedAt, toldAt }) =>
      alarmedAt !== null && toldAt === null && (closedAt === null || closedAt > since)
  )
})

const tell = Effect.fnUntraced(function* (
  { currencies, fence }: Recording,
  post: (body: string) => Effect.Effect<string | undefined>,
  one: ReconciliationBreak
) {
  const failure = yield* post(bodyOf(currencies, one))
  if (failure === undefined) yield* submitFenced(fence, fleetTenantId, noteTold(one.id))
  else yield* alarmNotTold({ break: one.id }, failure)
})

/**
 * Posts each alarm to the operators' own URL until it answers with 2xx: at least once, with the same `break`. What it does not take is tried
 * again in the next round, and one that cannot be told keeps no other back. Does nothing where there is no such URL.
 */
export const tellAlarms = Effect.fn("reconcile.tellAlarms")(function* (recording: Recording) {
  const post = yield* alarmPost(recording)
  if (post === undefined) return
  for (const one of yield* untold()) {
    const about = { break: one.id }
    yield* apart(about, unlessStorageFails(about, tell(recording, post, one)))
  }
})
