import { logStorageError } from "@bursar/core/engine/StorageError"
import { isDelivered } from "@bursar/core/event/DeliverySchedule"
import { Deliveries, type EndpointWork } from "@bursar/core/port/Deliveries"
import { Clock, Deferred, Effect, FiberSet, Random, Result, Semaphore } from "effect"
import { attempt, lookedAt, receiverOf } from "./attempt.ts"
import { defaultDeliverLimits, type DeliverOptions } from "./DeliverOptions.ts"
import { type Due, inTurn } from "./inTurn.ts"
import { makeReports, type Reports } from "./reports.ts"

/**
 * Lets nothing begin about a resource while something else about it is on its way, so that no event overtakes an earlier one
 * in the air. One that failed holds up nothing: it is sent again after later ones.
 */
const makeResources = () => {
  const busy = new Map<string, Deferred.Deferred<void>>()
  return {
    free: (resourceId: string) =>
      Effect.suspend(() => {
        const other = busy.get(resourceId)
        return other === undefined ? Effect.void : Deferred.await(other)
      }),
    begin: (resourceId: string) => {
      const ended = Deferred.makeUnsafe<void>()
      busy.set(resourceId, ended)
      return Effect.sync(() => {
        busy.delete(resourceId)
        Deferred.doneUnsafe(ended, Effect.void)
      })
    }
  }
}

/** Does it the first time that it is run, and nothing after. */
const once = <A>(effect: Effect.Effect<A>): Effect.Effect<void> => {
  let done = false
  return Effect.suspend(() => {
    if (done) return Effect.void
    done = true
    return Effect.asVoid(effect)
  })
}

/** Sends what is to be sent, in order, several at once; an attempt that has begun is finished and reported whatever happens. */
const sendAll = Effect.fnUntraced(function* (
  work: EndpointWork,
  todo: ReadonlyArray<Due>,
  {
    leaseUntil,
    options,
    reports
  }: { readonly leaseUntil: number; readonly options: DeliverOptions; readonly reports: Reports }
) {
  const { inFlightMax, totalTimeoutMs, turnMs, unreportedMax } = options.limits ?? defaultDeliverLimits
  const lastBegin = Math.min((yield* Clock.currentTimeMillis) + turnMs, leaseUntil - totalTimeoutMs)
  const receiver = yield* receiverOf(work)
  // a receiver in trouble gets one at a time
  const places = yield* Semaphore.make(work.failingSince === null ? inFlightMax : 1)
  // what was delivered waits for its report without keeping the next from being sent
  const unreported = yield* Semaphore.make(unreportedMax)
  const resources = makeResources()
  const flying = yield* FiberSet.make<void>()
  for (const [place, due] of todo.entries()) {
    const { resourceId } = due.event
    yield* unreported.take(1)
    yield* places.take(1)
    yield* resources.free(resourceId)
    if ((yield* Clock.currentTimeMillis) > lastBegin || !reports.going()) break
    const begun = yield* Effect.result(lookedAt(work, due))
    if (Result.isFailure(begun)) {
      // what cannot be looked up is no failure of the receiver: the rest is leased again
      yield* logStorageError(begun.failure)
      break
    }
    const leave = once(places.release(1))
    const one = attempt(receiver, begun.success, options).pipe(
      Effect.ensuring(resources.begin(resourceId)),
      Effect.tap(({ outcome }) => (isDelivered(outcome) ? leave : Effect.void)),
      Effect.flatMap((made) => reports.add(place, { due, attempt: made })),
      Effect.catchCause((cause) => Effect.logError("webhook.delivery_failed", cause)),
      Effect.ensuring(leave),
      Effect.ensuring(unreported.release(1)),
      Effect.uninterruptible
    )
    yield* FiberSet.run(flying, one)
  }
  yield* FiberSet.awaitEmpty(flying)
}, Effect.scoped)

/**
 * Works through what a lease of an endpoint brought, for as long as the lease surely lasts, and gives the lease back. An attempt
 * that has begun is finished and reported even when the worker is stopped.
 */
export const workEndpoint = Effect.fn("deliver.workEndpoint")(
  function* (work: EndpointWork, leaseUntil: number, options: DeliverOptions) {
    const deliveries = yield* Deliveries
    // one that hangs gets a single request in a turn: which sort begins is left to chance, so that neither starves
    const retryBegins = work.failingSince !== null && (yield* Random.nextBoolean)
    const todo = inTurn(work, retryBegins ? "retry" : "fresh")
    const reports = makeReports(work)
    const release = Effect.suspend(() => {
      const firstLeft = todo.slice(reports.stored()).find(({ fresh }) => fresh)
      return reports.held()
        ? deliveries.release(work, firstLeft === undefined ? work.freshUpTo : firstLeft.event.id - 1)
        : Effect.void
    })
    yield* sendAll(work, todo, { leaseUntil, options, reports }).pipe(
      Effect.onExit(() => Effect.catchTag(release, "StorageError", logStorageError))
    )
  },
  (effect, { endpoint }) => Effect.annotateLogs(effect, { tenant: endpoint.tenantId, endpoint: endpoint.id })
)
