import { logStorageError } from "@bursar/core/engine/StorageError"
import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { DeliveriesQueued } from "@bursar/api/operator/OperatorWebhook"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { cannotWrite, orUnavailable } from "../../../refusals.ts"
import { findEndpoint, invalidField } from "../found.ts"

interface EndpointParams {
  readonly tenant_id: string
  readonly webhook_id: string
}

/** Queues the events of a range for delivery again, or one event, which must be there. */
export const replays = Effect.gen(function* () {
  const queries = yield* Queries
  const deliveries = yield* Deliveries

  const queue = Effect.fnUntraced(function* (params: EndpointParams, from: number, to: number) {
    const { id, tenantId } = yield* findEndpoint(queries, params)
    const now = yield* Clock.currentTimeMillis
    const queued = yield* Effect.catchTag(deliveries.replay(tenantId, id, from, to, now), "StorageError", (error) =>
      Effect.andThen(logStorageError(error), Effect.fail(cannotWrite()))
    )
    const answer: DeliveriesQueued = { queued }
    return answer
  })

  return {
    ping: Effect.fnUntraced(function* (params: EndpointParams) {
      const { kinds, tenantId } = yield* findEndpoint(queries, params)
      const event = yield* orUnavailable(queries.newestEvent(tenantId, kinds))
      if (event === undefined)
        return yield* apiError("state_conflict", { message: "The tenant has no event yet that this endpoint wants." })
      yield* queue(params, event.id, event.id)
      return { event_id: event.id }
    }),
    replay: (params: EndpointParams, from: number, to: number): Effect.Effect<DeliveriesQueued, ApiError> =>
      from > to
        ? Effect.fail(invalidField("to_event_id", "The range ends before it begins."))
        : queue(params, from, to),
    resend: (params: EndpointParams, eventId: number): Effect.Effect<DeliveriesQueued, ApiError> =>
      Effect.flatMap(queue(params, eventId, eventId), (answer) =>
        answer.queued === 0 ? Effect.fail(apiError("not_found")) : Effect.succeed(answer)
      )
  }
})
