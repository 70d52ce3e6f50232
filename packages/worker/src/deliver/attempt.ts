import type { Event } from "@bursar/core/event/Event"
import type { AttemptOutcome } from "@bursar/core/event/DeliverySchedule"
import type { AttemptRecord, EndpointWork } from "@bursar/core/port/Deliveries"
import { SecretBox, type SecretUnreadable } from "@bursar/core/port/SecretBox"
import { logStorageError } from "@bursar/core/engine/StorageError"
import { namedIn } from "@bursar/core/granting/namedIn"
import { ShownAddresses } from "@bursar/core/granting/ShownAddresses"
import { Clock, Effect, type Redacted, Result } from "effect"
import { Egress } from "../egress/Egress.ts"
import { reachOf } from "../egress/Reach.ts"
import { defaultDeliverLimits, type DeliverOptions } from "./DeliverOptions.ts"
import { retryAfterMs } from "./retryAfterMs.ts"
import { signWebhook } from "./signWebhook.ts"
import { webhookBody } from "./webhookBody.ts"
import { webhookHeaders } from "./webhookHeaders.ts"

/** An attempt that was made: the line for its log, and what matters for what follows. */
export interface Attempt {
  readonly record: AttemptRecord
  readonly outcome: AttemptOutcome
  readonly endedAt: number
}

/** The start of an answer as text that every database can hold. */
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).replaceAll("\u0000", "\uFFFD")

/** Where events are sent, and the secret that signs them; a failure where it cannot be opened. */
export interface Receiver extends Pick<EndpointWork, "endpoint" | "tenant"> {
  readonly secret: Result.Result<Redacted.Redacted, SecretUnreadable>
}

/** The receiver of what was leased. */
export const receiverOf = Effect.fnUntraced(function* ({
  endpoint,
  tenant
}: EndpointWork): Effect.fn.Return<Receiver, never, SecretBox> {
  const secrets = yield* SecretBox
  const secret = yield* Effect.result(secrets.open(endpoint.tenantId, endpoint.secret))
  if (Result.isFailure(secret)) yield* Effect.logError("webhook.secret_unreadable")
  return { endpoint, tenant, secret }
})

const post = Effect.fnUntraced(function* (
  { endpoint, secret: opened, tenant }: Receiver,
  event: Event,
  options: DeliverOptions
) {
  const shown = yield* ShownAddresses
  yield* shown.verifyNamed(tenant.id, namedIn(event))
  const { limits = defaultDeliverLimits, sandboxMayReachLocal, serviceName } = options
  const { connectTimeoutMs, responseBytesMax, totalTimeoutMs } = limits
  const outbound = yield* Egress
  const secret = yield* Effect.fromResult(opened)
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

/** What there is to say of an attempt that no answer came to. */
const notSent = (problem: string) => ({ status: null, problem, responseStart: "", retryAfter: undefined })

/**
 * Sends one event to one endpoint, as its `number`th attempt (from 1). Whatever comes of it is the outcome of the attempt: a URL that must not be
 * reached, a secret that cannot be opened and an address that is forged are failures like a host that does not answer.
 */
export const attempt = Effect.fn("deliver.attempt")(function* (
  receiver: Receiver,
  event: Event,
  number: number,
  options: DeliverOptions
) {
  const at = yield* Clock.currentTimeMillis
  const answer = yield* post(receiver, event, options).pipe(
    Effect.map(({ body, headers, status }) => ({
      status,
      problem: null,
      responseStart: textOf(body),
      retryAfter: headers.get("retry-after")
    })),
    Effect.catchTags({
      EgressError: ({ detail }) => Effect.succeed(notSent(detail)),
      AddressForged: () => Effect.succeed(notSent("the address that it names cannot be verified")),
      StorageError: (error) =>
        Effect.as(logStorageError(error), notSent("the address that it names could not be looked up")),
      SecretUnreadable: () => Effect.succeed(notSent("the endpoint's secret cannot be opened"))
    })
  )
  const endedAt = yield* Clock.currentTimeMillis
  const { problem, responseStart, retryAfter, status } = answer
  return {
    record: {
      endpointId: receiver.endpoint.id,
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
  } satisfies Attempt
})
