import type { Event } from "@bursar/core/event/Event"
import type { AttemptOutcome } from "@bursar/core/event/DeliverySchedule"
import type { AttemptRecord, EndpointWork } from "@bursar/core/port/Deliveries"
import { SecretBox } from "@bursar/core/port/SecretBox"
import { Clock, Effect } from "effect"
import { Egress } from "../egress/Egress.ts"
import { reachOf } from "../egress/Reach.ts"
import { defaultDeliverLimits, type DeliverOptions } from "./DeliverOptions.ts"
import { retryAfterMs } from "./retryAfterMs.ts"
import { signWebhook } from "./signWebhook.ts"
import { webhookBody } from "./webhookBody.ts"
import { webhookHeaders } from "./webhookHeaders.ts"

/** An attempt that was made: the line for its log, and what matters for what follows. */
export interface Attempted {
  readonly record: AttemptRecord
  readonly outcome: AttemptOutcome
  readonly endedAt: number
}

/** The start of an answer as text that every database can hold. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replaceAll("\u0000", "\uFFFD")

const post = Effect.fnUntraced(function* (
  { endpoint, tenant }: Pick<EndpointWork, "endpoint" | "tenant">,
  event: Event,
  options: DeliverOptions
) {
  const { limits = defaultDeliverLimits, sandboxMayReachLocal, serviceName } = options
  const { connectTimeoutMs, responseBytesMax, totalTimeoutMs } = limits
  const secrets = yield* SecretBox
  const outbound = yield* Egress
  const secret = yield* secrets.open(endpoint.tenantId, endpoint.secret)
  const names = webhookHeaders(serviceName)
  const body = webhookBody(event)
  const timestamp = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
  return yield* outbound.send({
    method: "POST",
    url: endpoint.url,
    reach: reachOf(tenant.kind, sandboxMayReachLocal),
    headers: {
      "content-type": "application/json",
      [names.eventId]: String(event.id),
      [names.timestamp]: String(timestamp),
      [names.signature]: signWebhook(secret, timestamp, body)
    },
    body,
    connectTimeoutMs,
    totalTimeoutMs,
    responseBytesMax,
    keepAlive: true
  })
})

/**
 * Sends one event to one endpoint, as its `number`th attempt (from 1). Whatever comes of it is the outcome of the attempt: a URL that must not be
 * reached and a secret that cannot be opened are failures like a host that does not answer.
 */
export const attempt = Effect.fn("deliver.attempt")(function* (
  work: Pick<EndpointWork, "endpoint" | "tenant">,
  event: Event,
  number: number,
  options: DeliverOptions
) {
  const at = yield* Clock.currentTimeMillis
  const answer = yield* post(work, event, options).pipe(
    Effect.map(({ body, headers, status }) => ({
      status,
      problem: null,
      responseStart: textOf(body),
      retryAfter: headers.get("retry-after")
    })),
    Effect.catchTags({
      EgressError: ({ detail }) =>
        Effect.succeed({ status: null, problem: detail, responseStart: "", retryAfter: undefined }),
      SecretUnreadable: () =>
        Effect.as(Effect.logError("webhook.secret_unreadable"), {
          status: null,
          problem: "the endpoint's secret cannot be opened",
          responseStart: "",
          retryAfter: undefined
        })
    })
  )
  const endedAt = yield* Clock.currentTimeMillis
  const { problem, responseStart, retryAfter, status } = answer
  return {
    record: {
      endpointId: work.endpoint.id,
      eventId: event.id,
      attempt: number,
      at,
      status,
      problem,
      durationMs: endedAt - at,
      responseStart
    },
    outcome: { status, retryAfterMs: retryAfterMs(retryAfter, endedAt) },
    endedAt
  } satisfies Attempted
})
