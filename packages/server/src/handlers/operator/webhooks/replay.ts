import { apiError, type ApiError } from "@bursar/api/errors/ApiError"
import type { DeliveriesQueued } from "@bursar/api/operator/OperatorWebhook"
import { Deliveries } from "@bursar/core/port/Deliveries"
import { Queries } from "@bursar/core/store/Queries"
import { Clock, Effect } from "effect"
import { orUnavailable, writing } from "../../../refusals.ts"
import { findEndpoint, invalidField } from "../found.ts"

interface EndpointParams {
  readonly tenant_id: string
  readonly webhook_id: string
}

/** Queues the events of a range that an endpoint wants for delivery again, or one event, which must be there. */
export const replays = Effect.gen(function* () {
  const queries = yield* Queries
  const deliveries = yield* Deliveries

  const resend = Effect.fnUntraced(function* (params: EndpointParams, eventId: number) {
    const { enabled, id, tenantId } = yield* findEndpoint(queries, params)
    const isQueued = yield* writing(deliveries.resend(tenantId, id, eventId, yield* Clock.currentTimeMillis))
    const answer: DeliveriesQueued = { queued: 1, enabled }
    return isQueued ? answer : yield* apiError("not_found")
  })

  const replay = Effect.fnUntraced(function* (params: EndpointParams, from: number, to: number) {
    const { enabled, id, tenantId } = yield* findEndpoint(queries, params)
    const queued = yield* writing(deliveries.replay(tenantId, id, from, to, yield* Clock.currentTimeMillis))
    const answer: DeliveriesQueued = { queued, enabled }
    return answer
  })

  return {
    ping: Effect.fnUntraced(function* (params: EndpointParams) {
      const { enabled, kinds, tenantId } = yield* findEndpoint(queries, params)
      // whoever pings waits for an answer, and none would come
      if (!enabled) return yield* apiError("state_conflict", { message: "The endpoint is disabled." })
      const event = yield* orUnavailable(queries.newestEvent(tenantId, kinds))
      if (event === undefined)
        return yield* apiError("state_conflict", { message: "The tenant has no event yet that this endpoint wants." })
      yield* resend(params, event.id)
      return { event_id: event.id }
    }),
    replay: (params: EndpointParams, from: number, to: number): Effect.Effect<DeliveriesQueued, ApiError> =>
      from > to
        ? Effect.fail(invalidField("to_event_id", "The range ends before it begins."))
        : replay(params, from, to),
    resend
  }
})
