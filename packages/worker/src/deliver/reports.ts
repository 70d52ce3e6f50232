import { logStorageError } from "@bursar/core/engine/StorageError"
import { Writer } from "@bursar/core/engine/Writer"
import { type AfterAttempt, afterAttempt, failingAfter } from "@bursar/core/event/DeliverySchedule"
import { type Attempted, Deliveries, type EndpointWork } from "@bursar/core/port/Deliveries"
import { disableEndpoint } from "@bursar/core/webhook/endpointCommands"
import { Cause, Deferred, Effect, LogLevel, Metric, Random, References, Schedule } from "effect"
import type { Attempt } from "./attempt.ts"
import type { Due } from "./inTurn.ts"

const attempts = Metric.counter("webhook_attempts", {
  description: "Webhook attempts, by what followed",
  incremental: true
})
const duration = Metric.histogram("webhook_attempt_duration_milliseconds", {
  description: "How long webhook attempts took",
  boundaries: [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000]
})

/** One counter for each outcome, made once. */
const attemptsBy = (() => {
  const made = new Map<AfterAttempt["_tag"], typeof attempts>()
  return (outcome: AfterAttempt["_tag"]) => {
    const one = made.get(outcome) ?? Metric.withAttributes(attempts, { outcome })
    made.set(outcome, one)
    return one
  }
})()

/** An answer that came must not be lost to a hiccup of the storage: it would be sent again. */
const reportAgain = { schedule: Schedule.exponential("100 millis"), times: 5 }

/** What was sent, and what came of it. */
interface Made {
  readonly due: Due
  readonly attempt: Attempt
}

/** What follows on an attempt, counted and logged. */
const followed = Effect.fnUntraced(function* (
  { attempt: { endedAt, outcome, record }, due }: Made,
  failingSince: number | null
) {
  const after = afterAttempt(due.attempt, outcome, failingSince, endedAt, yield* Random.next)
  yield* Metric.update(attemptsBy(after._tag), 1)
  yield* Metric.update(duration, record.durationMs)
  if (LogLevel.isGreaterThanOrEqualTo("Debug", yield* References.MinimumLogLevel))
    yield* Effect.logDebug("webhook.attempted").pipe(
      Effect.annotateLogs({
        event: record.eventId,
        attempt: record.attempt,
        status: record.status,
        problem: record.problem,
        after: after._tag
      })
    )
  if (after._tag === "GiveUp")
    yield* Effect.logWarning("webhook.event_abandoned").pipe(Effect.annotateLogs({ event: record.eventId }))
  return after
})

/** What switched the endpoint off is due as soon as it is switched on again. */
const retryAt = (after: AfterAttempt, endedAt: number): number | null =>
  after._tag === "Retry" ? after.at : after._tag === "Disable" ? endedAt : null

const switchOff = Effect.fnUntraced(function* ({ endpoint }: EndpointWork, reason: string) {
  const writer = yield* Writer
  yield* Effect.logError("webhook.endpoint_disabled").pipe(Effect.annotateLogs({ reason }))
  yield* writer.submit(endpoint.tenantId, disableEndpoint(endpoint.id, reason))
})

/** The reports of one lease. */
export interface Reports {
  /**
   * Takes what came of the attempt at a place of the order, and stores it with all that ended meanwhile; or leaves it to an earlier
   * one that is still on its way. Where the storage fails, nothing more is begun, and what was not stored is sent again later.
   */
  readonly add: (place: number, made: Made) => Effect.Effect<void, never, Deliveries | Writer>
  /** Whether to begin more: the lease is held, the endpoint on, and the storage well, as far as is known. */
  readonly going: () => boolean
  /** Whether the lease is held, as far as is known. */
  readonly held: () => boolean
  /** How many attempts are stored: all up to that place. */
  readonly stored: () => number
}

/**
 * Reports attempts in the order in which they were begun, whichever ends first: so the endpoint moves past an event only with
 * everything before it.
 */
export const makeReports = (work: EndpointWork): Reports => {
  const made: Array<Made> = []
  /** Ends when the report that is on its way does, and says whether the storage took it. */
  let round: Deferred.Deferred<boolean> | undefined
  const now = { going: true, held: true, stored: 0, failingSince: work.failingSince }

  const ready = (): ReadonlyArray<Made> => {
    let end = now.stored
    while (made[end] !== undefined) end += 1
    return made.slice(now.stored, end)
  }

  const store = Effect.gen(function* () {
    const batch = ready()
    const reported: Array<Attempted> = []
    let { failingSince } = now
    let off: string | undefined
    for (const one of batch) {
      const { endedAt, outcome, record } = one.attempt
      const after = yield* followed(one, failingSince)
      failingSince = failingAfter(failingSince, outcome, record.at)
      if (after._tag === "Disable") off = after.reason
      reported.push({ record, retryAt: retryAt(after, endedAt) })
    }
    const deliveries = yield* Deliveries
    const held = yield* deliveries
      .report({
        tenantId: work.endpoint.tenantId,
        endpointId: work.endpoint.id,
        leaseToken: work.leaseToken,
        attempts: reported,
        freshUpTo: batch.findLast(({ due }) => due.fresh)?.due.event.id ?? null,
        failingSince
      })
      .pipe(Effect.retry(reportAgain))
    const wasGoing = now.going
    now.held = held
    now.going = wasGoing && held && off === undefined
    now.failingSince = failingSince
    if (!held) return
    now.stored += batch.length
    if (off === undefined || !wasGoing) return
    yield* Effect.catch(switchOff(work, off), (error) => Effect.logError("webhook.delivery_failed", Cause.fail(error)))
  })

  /**
   * One report is on its way at a time. Who ends meanwhile waits for it: one of them then stores what all have made. Between seeing that none is on
   * its way and being the one that is, nobody else gets a turn, nor is anybody interrupted: two would store the same, and count it twice.
   */
  const settle = (place: number): Effect.Effect<void, never, Deliveries | Writer> =>
    Effect.uninterruptibleMask((restore) => {
      if (place < now.stored || !now.held) return Effect.void
      // where the storage fails, nobody who has waited tries it again: what is not stored is sent again later
      if (round !== undefined)
        return Effect.flatMap(restore(Deferred.await(round)), (taken) => (taken ? restore(settle(place)) : Effect.void))
      // one before it is still on its way, and takes it along
      if (made[now.stored] === undefined) return Effect.void
      const own = Deferred.makeUnsafe<boolean>()
      round = own
      let taken = false
      return restore(store).pipe(
        Effect.tap(() => Effect.sync(() => void (taken = true))),
        Effect.catchTag("StorageError", (error) => {
          now.going = false
          return logStorageError(error)
        }),
        Effect.ensuring(
          Effect.sync(() => {
            round = undefined
            Deferred.doneUnsafe(own, Effect.succeed(taken))
          })
        )
      )
    })

  return {
    add: (place, one) => {
      made[place] = one
      return settle(place)
    },
    going: () => now.going,
    held: () => now.held,
    stored: () => now.stored
  }
}
