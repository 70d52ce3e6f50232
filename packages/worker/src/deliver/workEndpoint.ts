import { logStorageError } from "@bursar/core/engine/StorageError"
import { Writer } from "@bursar/core/engine/Writer"
import { afterAttempt } from "@bursar/core/event/DeliverySchedule"
import { disableEndpoint } from "@bursar/core/webhook/endpointCommands"
import type { Event } from "@bursar/core/event/Event"
import { Deliveries, type EndpointWork } from "@bursar/core/port/Deliveries"
import { Clock, Effect, Metric, Random, Schedule } from "effect"
import { attempt } from "./attempt.ts"
import { defaultDeliverLimits, type DeliverOptions } from "./DeliverOptions.ts"

const attempts = Metric.counter("webhook_attempts", {
  description: "Webhook attempts, by what followed",
  incremental: true
})
const duration = Metric.histogram("webhook_attempt_duration_milliseconds", {
  description: "How long webhook attempts took",
  boundaries: [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000]
})

/** Something to send now. */
interface Due {
  readonly event: Event
  readonly attempt: number
  readonly fresh: boolean
}

/**
 * What to send, in order: first attempts in the order of their ids, and between them the retries that are due, so that
 * neither keeps the other waiting.
 */
export const inTurn = ({ due, fresh }: Pick<EndpointWork, "due" | "fresh">): ReadonlyArray<Due> => {
  const longest = Math.max(due.length, fresh.length)
  return Array.from({ length: longest }, (_, index): ReadonlyArray<Due> => {
    const first = fresh[index]
    const retry = due[index]
    return [
      ...(first === undefined ? [] : [{ event: first, attempt: 1, fresh: true }]),
      ...(retry === undefined ? [] : [{ ...retry, fresh: false }])
    ]
  }).flat()
}

/** An answer that came must not be lost to a hiccup of the storage: it would be sent again. */
const reportAgain = { schedule: Schedule.exponential("100 millis"), times: 5 }

/** What to do after an attempt: go on, or leave the endpoint, with or without the lease. */
type Next = "next" | "switched_off" | "lease_lost"

const deliverOne = Effect.fn("deliver.deliverOne")(function* (
  work: EndpointWork,
  failingSince: number | null,
  { attempt: number, event }: Due,
  options: DeliverOptions
) {
  const { endpoint, leaseToken } = work
  const deliveries = yield* Deliveries
  const { endedAt, outcome, record } = yield* attempt(work, event, number, options)
  const after = afterAttempt(number, outcome, failingSince, endedAt, yield* Random.next)
  const failing = after._tag === "Delivered" ? null : (failingSince ?? record.at)
  yield* Metric.update(Metric.withAttributes(attempts, { outcome: after._tag }), 1)
  yield* Metric.update(duration, record.durationMs)
  yield* Effect.logDebug("webhook.attempted").pipe(
    Effect.annotateLogs({
      event: event.id,
      attempt: number,
      status: record.status,
      problem: record.problem,
      after: after._tag
    })
  )
  if (after._tag === "GiveUp")
    yield* Effect.logWarning("webhook.event_abandoned").pipe(Effect.annotateLogs({ event: event.id }))
  // what switched the endpoint off is due as soon as it is switched on again
  const retryAt = after._tag === "Retry" ? after.at : after._tag === "Disable" ? endedAt : null
  const held = yield* deliveries
    .report({
      tenantId: endpoint.tenantId,
      endpointId: endpoint.id,
      leaseToken,
      record,
      retryAt,
      failingSince: failing
    })
    .pipe(Effect.retry(reportAgain))
  if (!held) return { next: "lease_lost" as Next, failing }
  if (after._tag !== "Disable") return { next: "next" as Next, failing }
  const writer = yield* Writer
  yield* Effect.logError("webhook.endpoint_disabled").pipe(Effect.annotateLogs({ reason: after.reason }))
  yield* writer.submit(endpoint.tenantId, disableEndpoint(endpoint.id, after.reason))
  return { next: "switched_off" as Next, failing }
})

/**
 * Works through what a lease of an endpoint brought, one request in flight at a time, for as long as the lease surely
 * lasts, and gives the lease back. An attempt that has begun is finished and reported even when the worker is stopped.
 * Returns whether something was left for want of time.
 */
export const workEndpoint = Effect.fn("deliver.workEndpoint")(
  function* (work: EndpointWork, leaseUntil: number, options: DeliverOptions) {
    const { totalTimeoutMs } = options.limits ?? defaultDeliverLimits
    const deliveries = yield* Deliveries
    const todo = inTurn(work)
    let failingSince = work.failingSince
    let done = 0
    let held = true
    const run = Effect.gen(function* () {
      for (const due of todo) {
        if ((yield* Clock.currentTimeMillis) + totalTimeoutMs > leaseUntil) return
        const { failing, next } = yield* Effect.uninterruptible(deliverOne(work, failingSince, due, options))
        failingSince = failing
        done += 1
        held = next !== "lease_lost"
        if (next !== "next") return
      }
    })
    const release = Effect.suspend(() => {
      const firstLeft = todo.slice(done).find(({ fresh }) => fresh)
      return held
        ? deliveries.release(work, firstLeft === undefined ? work.freshUpTo : firstLeft.event.id - 1)
        : Effect.void
    })
    yield* run.pipe(Effect.onExit(() => Effect.catchTag(release, "StorageError", logStorageError)))
    return done < todo.length
  },
  (effect, { endpoint }) => Effect.annotateLogs(effect, { tenant: endpoint.tenantId, endpoint: endpoint.id })
)
