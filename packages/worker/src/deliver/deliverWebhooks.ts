import { Deliveries } from "@bursar/core/port/Deliveries"
import { Cause, Clock, Effect, FiberSet, Queue } from "effect"
import { forgetOld } from "../calls/forgetOld.ts"
import { defaultDeliverLimits, type DeliverOptions } from "./DeliverOptions.ts"
import { workEndpoint } from "./workEndpoint.ts"
import { lastingFailuresRemembered, storageFailed, storageWorks } from "../queue/apart.ts"

/** What failures of the rounds themselves are remembered by. */
const delivering = { loop: "deliver" }

/**
 * Delivers webhooks for as long as it runs, several endpoints at once. Any number of processes may do so: they share the
 * endpoints by leases. Interruption lets the requests in flight finish.
 */
export const deliverWebhooks = Effect.fn("deliver.deliverWebhooks")(
  function* (options: DeliverOptions) {
    const limits = options.limits ?? defaultDeliverLimits
    const { endpointsMax, eventsPerLeaseMax, leaseMs, pollIntervalMs } = limits
    const deliveries = yield* Deliveries
    const working = yield* FiberSet.make()
    // one waiting signal is enough: whoever takes it looks at everything
    const freed = yield* Queue.sliding<void>(1)
    yield* Effect.forkScoped(forgetOld(limits.attempts, deliveries.forget))

    const round = Effect.gen(function* () {
      const free = endpointsMax - (yield* FiberSet.size(working))
      if (free === 0) return yield* Queue.take(freed)
      const now = yield* Clock.currentTimeMillis
      const leaseUntil = now + leaseMs
      const works = yield* deliveries.lease(now, leaseUntil, free, eventsPerLeaseMax)
      for (const work of works) {
        yield* FiberSet.run(
          working,
          workEndpoint(work, leaseUntil, options).pipe(
            Effect.catchCause((cause) =>
              Cause.hasInterruptsOnly(cause) ? Effect.void : Effect.logError("webhook.delivery_failed", cause)
            ),
            Effect.ensuring(Queue.offer(freed, undefined))
          )
        )
      }
      if (works.length === 0) yield* Effect.raceFirst(Effect.sleep(pollIntervalMs), Queue.take(freed))
    })

    return yield* round.pipe(
      Effect.tap(() => storageWorks(delivering)),
      Effect.catchTag("StorageError", (error) =>
        Effect.andThen(storageFailed(delivering, error), Effect.sleep(pollIntervalMs))
      ),
      Effect.catchDefect((defect) =>
        Effect.andThen(Effect.logError("webhook.delivery_failed", Cause.die(defect)), Effect.sleep(pollIntervalMs))
      ),
      Effect.forever
    )
  },
  Effect.scoped,
  lastingFailuresRemembered
)
