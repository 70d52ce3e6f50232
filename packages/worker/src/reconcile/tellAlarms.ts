import { fleetTenantId } from "@bursar/core/grant/Grant"
import { amountInWords } from "@bursar/core/money/Amount"
import type { CurrencyTable } from "@bursar/core/money/Currency"
import { toIso } from "@bursar/core/base/Timestamp"
import { noteTold } from "@bursar/core/reconciliation/noteTold"
import { ReconciliationBreak } from "@bursar/core/reconciliation/ReconciliationBreak"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect, Option } from "effect"
import { Egress } from "../egress/Egress.ts"
import { submitFenced } from "../watch/submitFenced.ts"
import type { Recording } from "./Recording.ts"

const limits = { connectTimeoutMs: 5_000, totalTimeoutMs: 15_000, keepAlive: false, responseBytesMax: 1_024 }

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
  const all = yield* Effect.flatMap(Queries, ({ records }) => records(fleetTenantId, ReconciliationBreak))
  const since = (yield* Clock.currentTimeMillis) - closedToldMs
  return all.filter(
    ({ alarmedAt, closedAt, toldAt }) =>
      alarmedAt !== null && toldAt === null && (closedAt === null || closedAt > since)
  )
})

/**
 * Posts each alarm to the operators' own URL until it answers with 2xx: at least once, with the same `break`. What it does not take is tried
 * again in the next round. Does nothing where there is no such URL.
 */
export const tellAlarms = Effect.fn("reconcile.tellAlarms")(function* ({
  currencies,
  fence,
  limits: { alarmUrl }
}: Recording) {
  const egress = yield* Effect.serviceOption(Egress)
  if (alarmUrl === null || Option.isNone(egress)) return
  for (const one of yield* untold()) {
    const answer = yield* Effect.result(
      egress.value.send({
        method: "POST",
        url: alarmUrl,
        chosenBy: "operator",
        reach: { http: true, local: true },
        headers: { "content-type": "application/json" },
        body: bodyOf(currencies, one),
        ...limits
      })
    )
    const failure =
      answer._tag === "Failure"
        ? answer.failure.detail
        : answer.success.status >= 200 && answer.success.status <= 299
          ? undefined
          : `it answered ${answer.success.status}`
    if (failure === undefined) yield* submitFenced(fence, fleetTenantId, noteTold(one.id))
    else
      yield* Effect.annotateLogs(Effect.logError("reconciliation.alarm_not_told"), { break: one.id, reason: failure })
  }
})
